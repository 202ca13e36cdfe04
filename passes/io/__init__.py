"""Lowering of input and output variables to slot intrinsics."""
