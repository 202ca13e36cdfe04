"""Read-only analyses of function bodies, such as dominance, liveness and divergence."""
