"""Clean-up passes, to run after other passes."""
