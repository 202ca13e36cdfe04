"""Time and memory of everything that somebody waits for, and how they grow."""
