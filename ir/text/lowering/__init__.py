"""Lowering of a dump's syntax tree to IR."""
