"""Small means without knowledge of shaders."""
