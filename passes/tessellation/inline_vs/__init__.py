"""Run the vertex shader inside the control shader."""
