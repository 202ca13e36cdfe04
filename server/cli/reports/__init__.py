"""Report formats of `nirls check`."""
