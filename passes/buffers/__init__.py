"""Buffer accesses whose block is not known before the shader runs."""
