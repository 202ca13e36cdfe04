"""Conversion between LSP positions (line, character) and byte offsets.

LSP counts the characters of a line in UTF-16 code units by default, or in UTF-8 or UTF-32 units if
negotiated. All other code uses byte offsets of the UTF-8 text.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum
from itertools import accumulate
from typing import NamedTuple

from nirls.ir.text.hidden_text import HiddenText

_LONG_LINE = 1024


class Encoding(Enum):
    """Position encoding of a client; the value is its LSP name."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Position(NamedTuple):
    """LSP position: line and character from 0, characters in units of the encoding."""

    line: int
    character: int


class Range(NamedTuple):
    """Half-open LSP range."""

    start: Position
    end: Position


def plain_range(range_: Range) -> dict[str, dict[str, int]]:
    """A range as plain JSON."""
    return {"start": range_.start._asdict(), "end": range_.end._asdict()}


def _units_table(encoding: Encoding) -> bytes:
    # Columns added by each UTF-8 byte: only the first byte of a character counts.
    def units(byte: int) -> int:
        if encoding is Encoding.UTF8:
            return 1
        if 0x80 <= byte < 0xC0:
            return 0
        return 2 if encoding is Encoding.UTF16 and byte >= 0xF0 else 1

    return bytes(units(byte) for byte in range(256))


_UNITS = {encoding: _units_table(encoding) for encoding in Encoding}


class LineIndex:
    r"""Line index of a text. Line ends are `\n`, `\r\n` and a lone `\r`, as in LSP.

    A text always has at least one line; a text that ends in a line end has an empty last line.
    """

    __slots__ = ("_ascii", "_columns", "starts", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        # `bytes.splitlines`, unlike `str.splitlines`, splits only at these line ends.
        self.starts = list(accumulate(map(len, text.splitlines(keepends=True)), initial=0))
        if len(self.starts) > 1 and not text.endswith((b"\n", b"\r")):
            self.starts.pop()
        self._ascii = text.isascii()
        # Columns of long lines with multibyte characters, so that many lookups on one line stay cheap.
        self._columns: dict[tuple[int, Encoding], list[int]] = {}

    @property
    def raw(self) -> LineIndex:
        """Line index of the raw document text."""
        return self

    @property
    def has_plain_columns(self) -> bool:
        """Whether the column of every byte is its offset from the start of the line."""
        return self._ascii

    def line_at(self, offset: int) -> int:
        """Line of a byte offset."""
        return bisect_right(self.starts, offset) - 1

    def line_end(self, line: int) -> int:
        """End offset of a line, excluding its line end."""
        if line + 1 >= len(self.starts):
            return len(self.text)
        end = self.starts[line + 1]
        if self.text[end - 2 : end] == b"\r\n":
            return end - 2
        return end - 1

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Convert a position to a byte offset; positions beyond a line or the text are clamped.

        A position within a character maps to the start of that character.
        """
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.line_end(line)
        if character <= 0:
            return start
        if self._ascii or encoding is Encoding.UTF8:
            return self._start_of_character(start, min(start + character, end))
        columns = self._columns_of(line, start, end, encoding)
        # columns[k] is the column of byte k of the line; find the last character that starts at or
        # before `character`.
        place = bisect_right(columns, character) - 1
        return self._start_of_character(start, start + place)

    def position(self, offset: int, encoding: Encoding) -> Position:
        """Convert a byte offset to a position; offsets outside of the text are clamped."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_at(offset)
        start, end = self.starts[line], self.line_end(line)
        if self._ascii:
            return Position(line, min(offset, end) - start)
        offset = self._start_of_character(start, min(offset, end))
        if encoding is Encoding.UTF8 or offset == start:
            return Position(line, offset - start)
        if end - start <= _LONG_LINE and self.text[start:offset].isascii():
            return Position(line, offset - start)
        return Position(line, self._columns_of(line, start, end, encoding)[offset - start])

    def _columns_of(self, line: int, start: int, end: int, encoding: Encoding) -> list[int]:
        cached = self._columns.get((line, encoding))
        if cached is not None:
            return cached
        units = self.text[start:end].translate(_UNITS[encoding])
        columns = list(accumulate(units, initial=0))
        if len(self._columns) > 64:
            self._columns.clear()
        self._columns[line, encoding] = columns
        return columns

    def _start_of_character(self, floor: int, offset: int) -> int:
        text = self.text
        while floor < offset < len(text) and 0x80 <= text[offset] < 0xC0:
            offset -= 1
        return offset


class HiddenLineIndex(LineIndex):
    """Line index of a text without log prefixes; positions are those in the raw document."""

    __slots__ = ("_hidden", "_raw")

    def __init__(self, hidden: HiddenText) -> None:
        super().__init__(hidden.text)
        self._hidden = hidden
        self._raw = LineIndex(hidden.raw)

    @property
    def raw(self) -> LineIndex:
        return self._raw

    @property
    def has_plain_columns(self) -> bool:
        return False

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Convert a position to a byte offset; a position within a prefix maps to the text after it."""
        return self._hidden.offset(self._raw.offset(line, character, encoding))

    def position(self, offset: int, encoding: Encoding) -> Position:
        """Convert a byte offset to a position in the document."""
        return self._raw.position(self._hidden.raw_offset(max(0, min(offset, len(self.text)))), encoding)


def line_ends_in(text: bytes) -> int:
    """Number of line ends, one less than the number of lines."""
    if b"\r" not in text:
        return text.count(b"\n")
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


class Splice(NamedTuple):
    """Replacement of bytes [start, old_end); the new bytes are [start, new_end)."""

    start: int
    old_end: int
    new_end: int

    @property
    def growth(self) -> int:
        """Growth of the text in bytes; negative if it became shorter."""
        return self.new_end - self.old_end
