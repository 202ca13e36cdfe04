"""Proof that two shaders compute the same, without running them."""
