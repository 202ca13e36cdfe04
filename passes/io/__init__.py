"""Inputs and outputs: from variables to slot intrinsics."""
