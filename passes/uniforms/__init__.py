"""Uniform inlining: analysis of uniforms in conditions, and specialization of shaders to known values."""
