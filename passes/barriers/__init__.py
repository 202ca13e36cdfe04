"""Barriers: what they order, and those that order nothing."""
