"""Immutable snapshots of document versions, divided into pieces.

A piece is either a dump or text between two dumps. An edit replaces only the pieces it touches; the next
snapshot shares all others together with their cached results. The cost of a keystroke therefore depends on
the size of the edited dump, not of the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import TYPE_CHECKING, Final, NamedTuple

from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.log_parts import log_parts
from nirls.ir.text.log_prefix import LINES_COMPARED
from nirls.ir.text.pasted import LARGEST
from nirls.ir.text.structure import DIRECTIVE, shader_line
from nirls.server.engine.documents.positions import (
    Encoding,
    HiddenLineIndex,
    LineIndex,
    Position,
    Range,
    Splice,
    line_ends_in,
)

if TYPE_CHECKING:
    from array import array

    from nirls.server.engine.documents.dump_state import DumpState

TEXT_SIZE: Final = 1 << 16
"""Approximate size in bytes of pieces of text between dumps."""

_slots = count(1)


class Piece:
    """Whole lines of a document: one dump, or (part of) the text between two dumps.

    `slot` identifies a dump across edits, so that results for other dumps can refer to it. `state` caches the
    results for its text and is set by the document; `tokens` are its semantic tokens. Pieces are compared by
    identity.

    `text` is without log prefixes, `raw` is the text of the document; `hidden` maps between the two and is
    None if they are equal. `line_ends` counts those of `raw`.
    """

    __slots__ = ("__weakref__", "_lines", "hidden", "is_dump", "line_ends", "slot", "state", "text", "tokens")

    def __init__(
        self,
        text: bytes,
        is_dump: bool,
        slot: int | None = None,
        line_ends: int | None = None,
        hidden: HiddenText | None = None,
    ) -> None:
        self.text = text
        self.hidden = hidden
        self.is_dump = is_dump
        self.line_ends = line_ends_in(self.raw) if line_ends is None else line_ends
        self.slot = next(_slots) if slot is None else slot
        self._lines: LineIndex | None = None
        self.state: DumpState | None = None
        self.tokens: array[int] | None = None

    @property
    def raw(self) -> bytes:
        """The bytes of the document."""
        return self.text if self.hidden is None else self.hidden.raw

    @property
    def lines(self) -> LineIndex:
        """Line index of the piece, built on first use: offsets of `text`, columns of `raw`."""
        if self._lines is None:
            self._lines = LineIndex(self.text) if self.hidden is None else HiddenLineIndex(self.hidden)
        return self._lines

    def raw_edit(self, start: int, end: int, new_text: str) -> tuple[int, int, str]:
        """Convert a replacement of bytes of `text` to one of bytes of `raw`, with prefixes for new lines."""
        return (start, end, new_text) if self.hidden is None else self.hidden.raw_edit(start, end, new_text)

    def __repr__(self) -> str:
        return f"<{'dump' if self.is_dump else 'text'} of {len(self.text)} bytes>"


class DumpEdit(NamedTuple):
    """An edit within one dump; offsets of the splice are relative to the start of the dump."""

    before: Piece
    after: Piece
    splice: Splice


@dataclass(frozen=True, slots=True)
class PlacedDump:
    """A dump in a snapshot, with its byte offset and first line.

    `number` is the index among the dumps of the document, `index` the one among its pieces.
    """

    piece: Piece
    start: int
    first_line: int
    number: int
    index: int

    def range(self, start: int, end: int, encoding: Encoding) -> Range:
        """The LSP range of bytes [start, end) of the dump."""
        lines = self.piece.lines
        first, last = lines.position(start, encoding), lines.position(end, encoding)
        return Range(
            Position(first.line + self.first_line, first.character),
            Position(last.line + self.first_line, last.character),
        )

    def edit(self, start: int, end: int, new_text: str, encoding: Encoding) -> tuple[Range, str]:
        """Convert a replacement of bytes [start, end) of the dump to a document edit with log prefixes."""
        if self.piece.hidden is None:
            return self.range(start, end, encoding), new_text
        raw_start, raw_end, new_text = self.piece.raw_edit(start, end, new_text)
        positions = [self.piece.lines.raw.position(place, encoding) for place in (raw_start, raw_end)]
        first, last = (Position(place.line + self.first_line, place.character) for place in positions)
        return Range(first, last), new_text


class Snapshot:
    """Immutable text of one document version; `replace` creates the next one.

    Offsets refer to the text without log prefixes, raw offsets to the whole document.
    """

    __slots__ = (
        "__weakref__",
        "_byte_starts",
        "_dumps",
        "_line_starts",
        "_raw_starts",
        "dump_indices",
        "pieces",
        "version",
    )

    def __init__(self, pieces: Sequence[Piece], version: int = 0) -> None:
        self.version = version
        self.pieces = tuple(pieces)
        self._dumps: tuple[PlacedDump, ...] | None = None
        self.dump_indices = _indices_of_dumps(self.pieces)
        # One more entry than pieces: the last is the total size.
        self._byte_starts = list(accumulate((len(piece.text) for piece in self.pieces), initial=0))
        self._raw_starts = list(accumulate((len(piece.raw) for piece in self.pieces), initial=0))
        self._line_starts = list(accumulate((piece.line_ends for piece in self.pieces), initial=0))

    @classmethod
    def of(cls, text: bytes, version: int = 0) -> Snapshot:
        """Create the snapshot of a newly opened text."""
        return cls(_cut(text), version)

    def __len__(self) -> int:
        return self._byte_starts[-1]

    @property
    def text(self) -> bytes:
        """Raw text of the whole document, joined from its pieces."""
        return b"".join(piece.raw for piece in self.pieces)

    def dumps(self) -> Sequence[PlacedDump]:
        """All dumps with their places, in order."""
        if self._dumps is None:
            self._dumps = tuple(map(self.dump, range(len(self.dump_indices))))
        return self._dumps

    def dump(self, number: int) -> PlacedDump:
        """Return a dump by its number, from 0."""
        index = self.dump_indices[number]
        return PlacedDump(
            self.pieces[index], self._byte_starts[index], self._line_starts[index], number, index
        )

    def first_line(self, number: int) -> int:
        """First line of a dump, by its number from 0."""
        return self._line_starts[self.dump_indices[number]]

    def line_behind(self, number: int) -> int:
        """Line after the last line of a dump."""
        return self._line_starts[self.dump_indices[number] + 1]

    def text_below(self, dump: PlacedDump) -> bytes:
        """Return the text between a dump and the next one, without log prefixes."""
        end = self.dump_indices[dump.number + 1] if dump.number + 1 < len(self.dump_indices) else None
        return b"".join(piece.text for piece in self.pieces[dump.index + 1 : end])

    def dump_pieces(self) -> list[Piece]:
        """The pieces that are dumps, in order."""
        return [self.pieces[index] for index in self.dump_indices]

    def dumps_in_lines(self, first: int, last: int) -> list[PlacedDump]:
        """Dumps that intersect the lines `first` to `last`, both inclusive."""
        line_of = self._line_starts.__getitem__
        end = bisect_right(self.dump_indices, last, key=line_of)
        # Of the dumps that begin before `first`, only the last can reach it.
        begin = max(bisect_left(self.dump_indices, first, key=line_of) - 1, 0)
        return [
            dump
            for dump in map(self.dump, range(begin, end))
            if dump.first_line + max(dump.piece.line_ends - 1, 0) >= first
        ]

    def dump_at(self, offset: int) -> PlacedDump | None:
        """Find the dump at a byte offset; the end of the text belongs to an unfinished last dump."""
        index = self._piece_at(offset)
        if index < 0 or not self.pieces[index].is_dump:
            return None
        return self.dump(bisect_left(self.dump_indices, index))

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Convert an LSP position to a byte offset; positions outside of the text are clamped."""
        if not self.pieces:
            return 0
        index = self._piece_of_line(line)
        local = self.pieces[index].lines.offset(line - self._line_starts[index], character, encoding)
        return self._byte_starts[index] + local

    def raw_offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Convert an LSP position, which may be within a log prefix, to a raw byte offset."""
        if not self.pieces:
            return 0
        index = self._piece_of_line(line)
        lines = self.pieces[index].lines.raw
        return self._raw_starts[index] + lines.offset(line - self._line_starts[index], character, encoding)

    def position(self, offset: int, encoding: Encoding) -> Position:
        """The LSP position of a byte offset."""
        index = self._piece_at(offset)
        if index < 0:
            return Position(0, 0)
        local = self.pieces[index].lines.position(offset - self._byte_starts[index], encoding)
        return Position(local.line + self._line_starts[index], local.character)

    def range(self, start: int, end: int, encoding: Encoding) -> Range:
        """The LSP range of bytes [start, end)."""
        return Range(self.position(start, encoding), self.position(end, encoding))

    def replace(self, start: int, end: int, new_text: bytes) -> tuple[Snapshot, DumpEdit | None]:
        """Replace the raw bytes [start, end) by `new_text`; the version number stays the same.

        Also return the dump edit if the edit lies within one dump that is still one dump afterwards.
        """
        first, last = 0, len(self.pieces)
        if not self._may_move_starts(start, end, new_text):
            first, last = self._pieces_to_cut_again(start, end)
        region_start = self._raw_starts[first]
        old = b"".join(piece.raw for piece in self.pieces[first:last])
        while True:
            region = old[: start - region_start] + new_text + old[end - region_start :]
            # A directive directly above a dump belongs to it.
            if last == len(self.pieces) or not _ends_in_directive(region):
                break
            extended = self._end_of_dump_and_text_behind(last)
            old += b"".join(piece.raw for piece in self.pieces[last:extended])
            last = extended
        old_pieces = self.pieces[first:last]
        is_whole = first == 0 and last == len(self.pieces)
        new_pieces = _with_pieces_kept(old_pieces, _cut(region, is_whole=is_whole))
        snapshot = self._with_pieces(first, last, new_pieces)
        return snapshot, self._edit_of_one_dump(old_pieces, new_pieces, start, end, new_text)

    def _with_pieces(self, first: int, last: int, new: Sequence[Piece]) -> Snapshot:
        """Copy with the pieces [first, last) replaced and later ones shifted."""
        twin = self.at_version(self.version)
        old = self.pieces[first:last]
        twin.pieces = (*self.pieces[:first], *new, *self.pieces[last:])
        twin._byte_starts = _moved(self._byte_starts, first, last, [len(piece.text) for piece in new])
        twin._raw_starts = _moved(self._raw_starts, first, last, [len(piece.raw) for piece in new])
        if [piece.line_ends for piece in old] != [piece.line_ends for piece in new]:
            twin._line_starts = _moved(self._line_starts, first, last, [piece.line_ends for piece in new])
        if [piece.is_dump for piece in old] != [piece.is_dump for piece in new]:
            twin.dump_indices = _indices_of_dumps(twin.pieces)
        twin._dumps = None
        return twin

    def at_version(self, version: int) -> Snapshot:
        """The same text under another version number."""
        twin = Snapshot.__new__(Snapshot)
        twin.version = version
        twin.pieces = self.pieces
        twin._byte_starts = self._byte_starts
        twin._raw_starts = self._raw_starts
        twin._line_starts = self._line_starts
        twin._dumps = self._dumps
        twin.dump_indices = self.dump_indices
        return twin

    def _piece_at(self, offset: int) -> int:
        return min(bisect_right(self._byte_starts, max(offset, 0)) - 1, len(self.pieces) - 1)

    def _piece_at_raw(self, offset: int) -> int:
        return min(bisect_right(self._raw_starts, max(offset, 0)) - 1, len(self.pieces) - 1)

    def _piece_of_line(self, line: int) -> int:
        return min(bisect_right(self._line_starts, max(line, 0)) - 1, len(self.pieces) - 1)

    def _may_move_starts(self, start: int, end: int, new_text: bytes) -> bool:
        """Whether an edit of raw bytes [start, end) can change which lines start a dump.

        True if `shader:` is on the edited lines, before or after, or on the lines above, which are compared
        with them to find the log prefix. A dump without prefix starts at its own `shader:` line anyway.
        """
        if not self.pieces or self._is_cut_as_a_whole():
            return True
        index = self._piece_at_raw(start)
        is_plain_dump = self.pieces[index].is_dump and self.pieces[index].hidden is None
        first = index if is_plain_dump else max(index - 1, 0)
        raw = b"".join(piece.raw for piece in self.pieces[first : self._piece_at_raw(end) + 1])
        start, end = start - self._raw_starts[first], end - self._raw_starts[first]
        line_start, line_end = raw.rfind(b"\n", 0, start) + 1, raw.find(b"\n", end)
        if line_end < 0:
            line_end = len(raw)
        above = _lines_above(raw, line_start)
        if is_plain_dump:
            above = max(above, min(_end_of_start(self.pieces[index]), line_start))
        after = raw[line_start:start] + new_text + raw[end:line_end]
        return b"shader:" in raw[above:line_end] or b"shader:" in after

    def _is_cut_as_a_whole(self) -> bool:
        """Whether the document as a whole says what a part of it is: a paste, or excerpts without headers."""
        if self._raw_starts[-1] > LARGEST:
            return False
        first = self.pieces[self.dump_indices[0]].text if self.dump_indices else b""
        return b"shader:" not in first or any(
            piece.hidden is not None and piece.hidden.is_pasted for piece in self.pieces
        )

    def _pieces_to_cut_again(self, start: int, end: int) -> tuple[int, int]:
        """Find the pieces [first, last) to divide again after an edit of raw bytes [start, end).

        The start of a dump depends on its `shader:` line alone, its end on its text and the text up to the
        next start. So the range begins at the edited dump, or at the previous one if the edit may remove
        the start of this dump, and ends at the next start.
        """
        if not self.pieces:
            return 0, 0
        first = self._piece_at_raw(start)
        piece = self.pieces[first]
        if not piece.is_dump or start - self._raw_starts[first] <= _end_of_start(piece):
            first -= 1
            while first > 0 and not self.pieces[first].is_dump:
                first -= 1
            first = max(first, 0)
        last = self._piece_at_raw(end) + 1
        # A start stays a start if the newline before it stays.
        while last < len(self.pieces) and not (self.pieces[last].is_dump and end < self._raw_starts[last]):
            last += 1
        if (
            last < len(self.pieces)
            and self.pieces[last].hidden is not None
            and not self.pieces[last - 1].is_dump
        ):
            # Lines directly above may have the same log prefix.
            last = self._end_of_dump_and_text_behind(last)
        return first, last

    def _end_of_dump_and_text_behind(self, index: int) -> int:
        index += 1
        while index < len(self.pieces) and not self.pieces[index].is_dump:
            index += 1
        return index

    def _edit_of_one_dump(
        self, old: Sequence[Piece], new: Sequence[Piece], start: int, end: int, new_text: bytes
    ) -> DumpEdit | None:
        gone = list(set(old) - set(new))
        come = list(set(new) - set(old))
        if len(gone) != 1 or len(come) != 1 or not (gone[0].is_dump and come[0].is_dump):
            return None
        base = sum(len(piece.raw) for piece in old[: old.index(gone[0])])
        if base != sum(len(piece.raw) for piece in new[: new.index(come[0])]):
            return None  # dumps of the same text changed places
        base += self._raw_starts[self.pieces.index(old[0])]
        if start < base or end > base + len(gone[0].raw):
            return None
        if gone[0].hidden is not None or come[0].hidden is not None:
            first, last, changed = what_differs(gone[0].text, come[0].text)
            return DumpEdit(gone[0], come[0], Splice(first, last, first + len(changed)))
        return DumpEdit(gone[0], come[0], Splice(start - base, end - base, start - base + len(new_text)))


def what_differs(old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """Compute the edit (start, end, new bytes) from `old` to `new` without their common prefix and suffix."""
    start = _common(old, new, lambda data, size: data[:size], min(len(old), len(new)))
    rest = min(len(old), len(new)) - start
    tail = _common(old, new, lambda data, size: data[len(data) - size :], rest)
    return start, len(old) - tail, new[start : len(new) - tail]


def _common(old: bytes, new: bytes, part: Callable[[bytes, int], bytes], limit: int) -> int:
    """Return the largest size, up to `limit`, for which the parts of both are equal."""
    return bisect_left(range(1, limit + 1), True, key=lambda size: part(old, size) != part(new, size))


def _cut(text: bytes, *, is_whole: bool = True) -> list[Piece]:
    pieces: list[Piece] = []
    for part in log_parts(text, is_whole=is_whole):
        if part.is_dump or part.hidden is not None:
            pieces.append(Piece(part.text, part.is_dump, hidden=part.hidden))
        else:
            pieces += _cut_text(part.text, 0, len(part.text))
    return pieces


def _cut_text(text: bytes, start: int, end: int) -> Iterator[Piece]:
    """Divide text without dumps into pieces of whole lines, to bound the cost of an edit."""
    while end - start > 2 * TEXT_SIZE:
        middle = text.find(b"\n", start + TEXT_SIZE, end) + 1 or end
        yield Piece(text[start:middle], is_dump=False)
        start = middle
    if start < end:
        yield Piece(text[start:end], is_dump=False)


def _indices_of_dumps(pieces: Sequence[Piece]) -> list[int]:
    return [index for index, piece in enumerate(pieces) if piece.is_dump]


def _moved(starts: Sequence[int], first: int, last: int, sizes: Sequence[int]) -> list[int]:
    """Update piece offsets after replacing the pieces [first, last) by pieces of these sizes."""
    new = list(accumulate(sizes, initial=starts[first]))
    growth = new[-1] - starts[last]
    return [*starts[:first], *new, *[start + growth for start in starts[last + 1 :]]]


def _with_pieces_kept(old: Sequence[Piece], new: Sequence[Piece]) -> list[Piece]:
    """Reuse old piece objects for equal texts, and old slots if as many dumps were added as removed."""
    fresh = set(new)
    left: dict[tuple[bytes, bytes, bool], list[Piece]] = {}
    for piece in reversed(old):
        left.setdefault((piece.raw, piece.text, piece.is_dump), []).append(piece)
    kept: list[Piece] = []
    for piece in new:
        twins = left.get((piece.raw, piece.text, piece.is_dump))
        kept.append(twins.pop() if twins else piece)
    reused = set(kept)
    changed = [piece for piece in kept if piece.is_dump and piece in fresh]
    gone = [piece for piece in old if piece.is_dump and piece not in reused]
    if len(changed) == len(gone):
        for before, after in zip(gone, changed, strict=True):
            after.slot = before.slot
    return kept


def _lines_above(text: bytes, line_start: int) -> int:
    """Start of the preceding lines that log prefix detection compares with this one."""
    for _ in range(LINES_COMPARED):
        if line_start == 0:
            break
        line_start = text.rfind(b"\n", 0, line_start - 1) + 1
    return line_start


def _end_of_start(dump: Piece) -> int:
    """Raw offset in the dump after the lines that identify it as a dump."""
    if dump.hidden is not None:
        lines = dump.lines.raw.starts
        return lines[LINES_COMPARED + 1] if len(lines) > LINES_COMPARED + 1 else len(dump.raw)
    line = shader_line(dump.text)
    return len(dump.text) if line is None else line[1]


def _ends_in_directive(text: bytes) -> bool:
    last_line = text.rfind(b"\n", 0, max(len(text) - 1, 0)) + 1
    return DIRECTIVE.match(text, last_line) is not None
