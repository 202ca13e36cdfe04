"""What can be said about a function body without changing it: dominance and divergence."""
