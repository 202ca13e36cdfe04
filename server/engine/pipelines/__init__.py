"""Which dumps are stages of one pipeline."""
