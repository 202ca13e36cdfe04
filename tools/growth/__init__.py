"""Growth of the CPU time of every command and every request with the size of their input."""
