"""What a run keeps for each invocation, and the compilation of instructions to steps."""
