"""Potential gain of linking a separate shader at draw time."""
