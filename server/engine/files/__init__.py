"""Files that are read and written outside of an editor."""
