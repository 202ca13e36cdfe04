"""Memory, outputs and shared storage of a run, and who accessed them when."""
