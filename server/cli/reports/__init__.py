"""The formats in which `nirls check` reports findings."""
