"""Motion of expressions between two stages."""
