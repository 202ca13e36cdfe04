"""The packing of varyings as tables and text."""
