"""Passes on shaders and pipelines: their declarations, findings and transformations."""
