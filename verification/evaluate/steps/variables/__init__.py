"""Accesses to variables through derefs."""
