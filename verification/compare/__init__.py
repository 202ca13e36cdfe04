"""Compare the results of two runs: what counts as the same, and what decides it."""
