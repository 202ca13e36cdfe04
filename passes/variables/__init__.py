"""Variables of functions as SSA values."""
