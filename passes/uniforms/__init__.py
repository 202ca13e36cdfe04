"""Uniform inlining: which uniforms decide control flow, and shaders with the values of uniforms known."""
