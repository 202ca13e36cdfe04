"""Cache of line records by line pattern: a line without the numbers of its SSA values and their constants.

One record serves all lines of a pattern: it holds positions in the list of the line's numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from nirls.ir.text.lowering.records import DestRecord, LineRecord, ValueRecord

MOST_TEXT: Final = 1 << 17
"""Capacity of a cache generation in bytes of text; a record takes 25 times its text."""

# `number_in` refuses longer numbers. A literal prefix makes the search fast.
_NUMBER = rb"([0-9]{1,18})(?![0-9])"
_CONSTANT = rb"[-+]?(?:0x *[0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?)"
_CONSTANTS = rb"(?:( \()" + _CONSTANT + rb"(?:, ?" + _CONSTANT + rb")*\))?"
_VALUE = re.compile(rb"%" + _NUMBER + _CONSTANTS)
_OLDER_VALUE = re.compile(rb"ssa_" + _NUMBER + _CONSTANTS)
_OLDER = b"ssa_"
_COLUMNS = b"  "

Pattern = tuple[bytes | None, ...]


def split_line(line: bytes) -> tuple[Pattern, list[int]]:
    """Split a line into its pattern and the numbers of its SSA values, in printed order.

    The pattern has no constants that are printed behind values, which no record contains, but states where
    they are, and one blank before the first value instead of several.
    """
    is_older = _OLDER in line
    parts = (_OLDER_VALUE if is_older else _VALUE).split(line)
    numbers = list(map(int, parts[1::3]))
    del parts[1::3]
    if is_older:
        parts.append(_OLDER)
    if numbers and parts[0].endswith(_COLUMNS):
        parts[0] = parts[0].rstrip(b" ") + b" "
    return tuple(parts), numbers


KnownLine = tuple[LineRecord, int, Sequence[int] | None]
"""The record of a line, the bytes behind its instruction, and the numbers of its values.

With these numbers, those in the record are positions in them.
"""


class _OtherNumbersError(ValueError):
    """The values of a record, in the order of its fields, have other numbers than its line."""


def _with_positions(item: Any, remaining: list[int], count: int) -> Any:
    """Replace the numbers of values by their positions in the list of numbers of the line.

    `remaining` are those of the values that follow, the next one last; `count` is the number of all.
    Raises _OtherNumbersError.
    """
    kind = type(item)
    if (kind is ValueRecord or kind is DestRecord) and not item.is_register:
        if not remaining or remaining.pop() != item.number:
            raise _OtherNumbersError
        return kind(count - 1 - len(remaining), *item[1:])
    if kind is tuple:
        return tuple(
            [_with_positions(part, remaining, count) if isinstance(part, tuple) else part for part in item]
        )
    return kind(
        *[_with_positions(part, remaining, count) if isinstance(part, tuple) else part for part in item]
    )


KeyT = TypeVar("KeyT")
EntryT = TypeVar("EntryT")


class Generations(Generic[KeyT, EntryT]):
    """Two-generation cache: used entries go to the younger generation; on overflow the older one is dropped.

    That happens between dumps only, so that rereading a dump of any size hits all its lines.
    """

    __slots__ = ("_most", "_older", "_size", "_younger")

    def __init__(self, most: int) -> None:
        self._younger: dict[KeyT, EntryT] = {}
        self._older: dict[KeyT, EntryT] = {}
        self._most = most
        self._size = 0

    def begin_dump(self) -> None:
        """Drop the older generation on overflow."""
        if self._size > self._most:
            self._younger, self._older, self._size = {}, self._younger, 0

    def get(self, key: KeyT, size: int) -> EntryT | None:
        """Return the entry of a line of `size` bytes."""
        entry = self._younger.get(key)
        if entry is None:
            entry = self._older.get(key)
            if entry is not None:
                self.add(key, entry, size)
        return entry

    def add(self, key: KeyT, entry: EntryT, size: int) -> None:
        """Add the entry of a line of `size` bytes."""
        self._younger[key] = entry
        self._size += size

    def __len__(self) -> int:
        return len(self._younger.keys() | self._older.keys())


class KnownLines:
    """Cache of lines by their bytes, and of those whose values have positions by their pattern."""

    __slots__ = ("lines", "patterns")

    def __init__(self, most: int = MOST_TEXT) -> None:
        self.lines = Generations[bytes, KnownLine](most)
        self.patterns = Generations[Pattern, KnownLine](most)

    def begin_dump(self) -> None:
        """Start a dump, and drop what the dumps before it did not use on overflow."""
        self.lines.begin_dump()
        self.patterns.begin_dump()

    def get(self, line: bytes) -> KnownLine | None:
        """Return the cached entry of a line."""
        size = len(line)
        known = self.lines.get(line, size)
        if known is None:
            pattern, numbers = split_line(line)
            known = self.patterns.get(pattern, size)
            if known is not None:
                known = (known[0], known[1], numbers)
                self.lines.add(line, known, size)
        return known

    def add(self, line: bytes, record: LineRecord) -> KnownLine:
        """Cache a line by its record, and return its entry."""
        size, tail = len(line), len(line) - record.length
        pattern, numbers = split_line(line)
        known: KnownLine = (record, tail, None)
        if not tail or not split_line(line[record.length :])[1]:
            remaining = list(reversed(numbers))
            with suppress(_OtherNumbersError):
                instr = _with_positions(record.instr, remaining, len(numbers))
                if not remaining:
                    known = (record._replace(instr=instr), tail, numbers)
                    self.patterns.add(pattern, known, size)
        self.lines.add(line, known, size)
        return known
