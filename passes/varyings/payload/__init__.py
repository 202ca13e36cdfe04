"""Link the task payload of mesh shaders."""
