"""What a run gets from outside of the shader, and what it leaves there."""
