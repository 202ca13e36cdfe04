"""What changed between the snapshots of a shader."""
