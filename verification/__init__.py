"""Verification of passes: run shaders before and after one, and compare their visible results."""
