"""Counts over a corpus of real shaders: `python -m tools.corpus`."""
