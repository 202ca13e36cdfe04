"""A replacement of bytes in a text."""

from __future__ import annotations

from typing import NamedTuple


class Splice(NamedTuple):
    """Bytes [start, old_end) were replaced by other bytes, which now are [start, new_end)."""

    start: int
    old_end: int
    new_end: int

    @property
    def growth(self) -> int:
        """The number of bytes by which the text became longer."""
        return self.new_end - self.old_end
