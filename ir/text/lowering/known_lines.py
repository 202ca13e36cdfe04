"""Cache of line records by line pattern: the bytes of a line without the numbers of its SSA values.

Lines of one pattern differ in those numbers only, so one record serves all: it holds positions in the list of
the line's numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from nirls.ir.text.lowering.records import DestRecord, InstrRecord, LineRecord, ValueRecord

MOST_TEXT: Final = 1 << 17
"""Capacity of a cache generation in bytes of text; a record takes 25 times its text."""

# `number_in` refuses longer numbers. A literal prefix makes the search fast.
_NUMBERS = re.compile(rb"%([0-9]{1,18})(?![0-9])")
_OLDER_NUMBERS = re.compile(rb"ssa_([0-9]{1,18})(?![0-9])")
_OLDER = b"ssa_"

_NOWHERE = 1 << 62

Pattern = tuple[bytes, ...]


def split_line(line: bytes) -> tuple[Pattern, list[int]]:
    """Split a line into its pattern and the numbers of its SSA values, in printed order."""
    if _OLDER in line:
        parts = _OLDER_NUMBERS.split(line)
        return (_OLDER, *parts[::2]), list(map(int, parts[1::2]))
    parts = _NUMBERS.split(line)
    return tuple(parts[::2]), list(map(int, parts[1::2]))


class KnownLine(NamedTuple):
    """The record of a line pattern.

    With `is_numbered_by_position`, the numbers of its values are positions in the list of the line's numbers.
    `tail` are the bytes from the end of the instruction to the end of the line.
    """

    record: LineRecord
    tail: int
    is_numbered_by_position: bool


def known_line(record: LineRecord, line: bytes, numbers: Sequence[int]) -> KnownLine:
    """Make the cache entry of a line from its record."""
    tail = len(line) - record.length
    instr = None
    if not split_line(line[record.length :])[1]:
        instr = _with_positions(record.instr, numbers)
    if instr is None:
        return KnownLine(record, tail, False)
    return KnownLine(record._replace(instr=instr), tail, True)


def _with_positions(record: InstrRecord, numbers: Sequence[int]) -> InstrRecord | None:
    """Replace the numbers of values by their positions in `numbers`.

    None if the values of the record, in the order of its fields, have other numbers.
    """
    place = 0

    def replaced(item: Any) -> Any:
        nonlocal place
        if isinstance(item, DestRecord | ValueRecord) and not item.is_register:
            place = place + 1 if place < len(numbers) and item.number == numbers[place] else _NOWHERE
            return item._replace(number=place - 1)
        if isinstance(item, tuple) and any(isinstance(part, tuple) for part in item):
            parts = [replaced(part) if isinstance(part, tuple) else part for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else tuple(parts)
        return item

    found: InstrRecord = replaced(record)
    return found if place == len(numbers) else None


class KnownLines:
    """Two-generation cache of lines by pattern, and of those that depend on their numbers by their bytes.

    Used lines go to the younger generation; on overflow the older generation is dropped. That happens
    between dumps only, so that rereading a dump of any size hits all its lines.
    """

    __slots__ = ("_older", "_size", "_younger", "most")

    def __init__(self, most: int = MOST_TEXT) -> None:
        self.most = most
        self._younger: dict[Pattern | bytes, KnownLine] = {}
        self._older: dict[Pattern | bytes, KnownLine] = {}
        self._size = 0

    def begin_dump(self) -> None:
        """Start a dump, and drop the older generation on overflow."""
        if self._size > self.most:
            self._younger, self._older, self._size = {}, self._younger, 0

    def get(self, line: bytes, pattern: Pattern) -> KnownLine | None:
        """Return the cached entry of a line."""
        return self._get(pattern, len(line)) or self._get(line, len(line))

    def add(self, line: bytes, pattern: Pattern, known: KnownLine) -> None:
        """Cache the entry of a line."""
        self._younger[pattern if known.is_numbered_by_position else line] = known
        self._size += len(line)

    def _get(self, key: Pattern | bytes, size: int) -> KnownLine | None:
        known = self._younger.get(key)
        if known is None:
            known = self._older.get(key)
            if known is not None:
                self._younger[key] = known
                self._size += size
        return known

    def __len__(self) -> int:
        return len(self._younger.keys() | self._older.keys())
