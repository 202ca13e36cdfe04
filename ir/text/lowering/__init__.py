"""From the syntax tree of a dump to its IR."""
