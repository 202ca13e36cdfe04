"""Tessellation control shaders: what culled patches skip, barriers, the vertex shader inside."""
