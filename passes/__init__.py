"""The passes: what each can do to a shader or a pipeline, what it finds, and how it is declared."""
