"""ALU operations on arrays of lanes: one module for each family of opcodes."""
