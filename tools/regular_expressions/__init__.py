"""The regular expressions of nirls, and texts that are hard for them."""
