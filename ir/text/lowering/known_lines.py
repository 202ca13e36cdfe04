"""Lines that were read, by their text: a dump that is edited, and snapshots in a log, repeat most of them."""

from __future__ import annotations

from typing import Final

from nirls.ir.text.lowering.records import LineRecord

MOST_TEXT: Final = 1 << 17
"""Bytes of lines after which those not used since are forgotten; a record takes 25 times its text."""


class KnownLines:
    """The lines of the dumps read last.

    There are two halves. What is used goes into the younger one; when that is full, the older one is
    forgotten and the younger one becomes it. That happens between dumps only, so that reading a dump of
    any size again finds all its lines.
    """

    __slots__ = ("_older", "_size", "_younger", "most")

    def __init__(self, most: int = MOST_TEXT) -> None:
        self.most = most
        self._younger: dict[bytes, LineRecord] = {}
        self._older: dict[bytes, LineRecord] = {}
        self._size = 0

    def begin_dump(self) -> None:
        """Another dump is read from now on."""
        if self._size > self.most:
            self._younger, self._older, self._size = {}, self._younger, 0

    def get(self, line: bytes) -> LineRecord | None:
        """The record of a line that was read before."""
        record = self._younger.get(line)
        if record is None:
            record = self._older.get(line)
            if record is not None:
                self.add(line, record)
        return record

    def add(self, line: bytes, record: LineRecord) -> None:
        """Keep the record of a line."""
        self._younger[line] = record
        self._size += len(line)

    def __len__(self) -> int:
        return len(self._younger.keys() | self._older.keys())
