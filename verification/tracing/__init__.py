"""Runs to look at: the values of each definition by invocation, with inputs that a user chose."""
