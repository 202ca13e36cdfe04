"""What is at a place of a text."""
