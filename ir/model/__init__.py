"""The IR: values, instructions, control flow, shaders, and how they are built and copied."""
