"""The inputs that both shaders of a comparison are run on."""
