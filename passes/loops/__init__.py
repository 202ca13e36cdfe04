"""Passes that work on loops."""
