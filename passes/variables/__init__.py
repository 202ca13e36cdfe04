"""Lowering of function temporaries to SSA values."""
