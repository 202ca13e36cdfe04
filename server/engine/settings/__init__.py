"""Settings of clients and of `nirls.toml`."""
