"""Inputs and outputs of shaders: which form they have, and which slots an access means."""
