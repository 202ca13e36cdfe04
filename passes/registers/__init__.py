"""Registers: into SSA form, out of it, and vectors written in place."""
