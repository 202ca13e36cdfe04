"""What draw-time linking of a separate shader could gain."""
