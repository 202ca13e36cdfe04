"""Passes on discards, terminates and demotes: conditional form and code motion."""
