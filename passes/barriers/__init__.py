"""Analysis of barriers, and removal of those that order nothing."""
