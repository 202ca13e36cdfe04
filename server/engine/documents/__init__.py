"""Documents, the workspace, and what is kept for each dump."""
