"""Inputs and outputs of shaders: lowering levels and accessed slots."""
