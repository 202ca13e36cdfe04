"""Exceptions for shaders that cannot be evaluated, or not in the time that is allowed."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - it reads as what it says
    """A construct in the shader that cannot be evaluated; `name` is the opcode, intrinsic or construct."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} cannot be evaluated")
        self.name = name


class TimeUsedUp(Exception):  # noqa: N818 - as above
    """A run was ended because it reached the deadline of its options."""
