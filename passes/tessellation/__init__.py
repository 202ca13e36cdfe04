"""Passes on tessellation control shaders: skipping work of culled patches, vertex shader inlining."""
