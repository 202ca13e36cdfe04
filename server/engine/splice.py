"""A replacement of bytes in a text."""

from __future__ import annotations

from typing import NamedTuple


class Splice(NamedTuple):
    """Replacement of bytes [start, old_end); the new bytes are [start, new_end)."""

    start: int
    old_end: int
    new_end: int

    @property
    def growth(self) -> int:
        """Growth of the text in bytes; negative if it became shorter."""
        return self.new_end - self.old_end
