"""Discards, terminates and demotes: in conditional form, and as early as they may go."""
