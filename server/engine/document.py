"""A document as the server holds it: an immutable snapshot for each version, cut into pieces.

A piece is either a dump or text between two dumps. An edit makes new pieces only for what it
touches; all other pieces, and with them everything known about their text, go on in the next snapshot.
So the cost of a keystroke follows the dump it is in, not the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import TYPE_CHECKING, Final, NamedTuple

from nirls.ir.text.log_parts import log_parts
from nirls.ir.text.log_prefix import LINES_COMPARED, HiddenText
from nirls.server.engine.positions import Encoding, HiddenLineIndex, LineIndex, Position, Range, line_ends_in
from nirls.server.engine.splice import Splice

if TYPE_CHECKING:
    from array import array

    from nirls.server.engine.dump_state import DumpState

TEXT_SIZE: Final = 1 << 16
"""Bytes of text between dumps from which on it is cut into pieces of about that size."""

_DIRECTIVE = re.compile(rb"//[ \t]*nirls:")
_MAY_BE_OF_A_DUMP = re.compile(rb"^(?:shader:|impl|decl_|\}|//)|\r", re.MULTILINE)
"""What text behind a dump has to hold for it to count where a dump begins or ends."""
_NOT_BLANK = re.compile(rb"\S")
_SHADER_LINE = re.compile(rb"^shader:[^\n]*", re.MULTILINE)
_slots = count(1)


class Piece:
    """Whole lines of a document: one dump, or the text between two, or a part of much such text.

    `slot` names the place of a dump: an edited dump keeps it, so that what is known of other dumps can
    refer to it. `state` is what is known of its text, kept here by its document, `tokens` its semantic
    tokens. Pieces are compared by identity.

    `text` is without the prefixes of a log, `raw` is as it stands in the document; `hidden` maps between the
    two, None where they are the same. Both have the same lines.
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
        self.line_ends = line_ends_in(text) if line_ends is None else line_ends
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
        """The lines of the piece, indexed when first asked for: offsets of `text`, columns of `raw`."""
        if self._lines is None:
            self._lines = LineIndex(self.text) if self.hidden is None else HiddenLineIndex(self.hidden)
        return self._lines

    def raw_edit(self, start: int, end: int, new_text: str) -> tuple[int, int, str]:
        """A replacement of bytes of `text` as one of bytes of `raw`, with prefixes for new lines."""
        return (start, end, new_text) if self.hidden is None else self.hidden.raw_edit(start, end, new_text)

    def __repr__(self) -> str:
        return f"<{'dump' if self.is_dump else 'text'} of {len(self.text)} bytes>"


class DumpEdit(NamedTuple):
    """A dump that an edit changed from within; the splice counts from the start of the dump."""

    before: Piece
    after: Piece
    splice: Splice


@dataclass(frozen=True, slots=True)
class PlacedDump:
    """A dump where it stands in a snapshot: byte offset and first line.

    `number` counts the dumps of the document from 0, `index` its pieces.
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
        """A replacement of bytes [start, end) of the dump as one of the document, log prefixes kept."""
        if self.piece.hidden is None:
            return self.range(start, end, encoding), new_text
        raw_start, raw_end, new_text = self.piece.raw_edit(start, end, new_text)
        positions = [self.piece.lines.raw.position(place, encoding) for place in (raw_start, raw_end)]
        first, last = (Position(place.line + self.first_line, place.character) for place in positions)
        return Range(first, last), new_text


class Snapshot:
    """The text of one version of a document. Never changes; `replace` makes the next one.

    Offsets count what is left of the document without log prefixes; raw offsets count all of it.
    """

    __slots__ = (
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
        # One entry more than there are pieces: the last is the size of the whole.
        self._byte_starts = list(accumulate((len(piece.text) for piece in self.pieces), initial=0))
        self._raw_starts = list(accumulate((len(piece.raw) for piece in self.pieces), initial=0))
        self._line_starts = list(accumulate((piece.line_ends for piece in self.pieces), initial=0))

    @classmethod
    def of(cls, text: bytes, version: int = 0) -> Snapshot:
        """The snapshot of a text that has just been opened."""
        return cls(_cut(text), version)

    def __len__(self) -> int:
        return self._byte_starts[-1]

    @property
    def text(self) -> bytes:
        """The whole document, put together from the pieces."""
        return b"".join(piece.raw for piece in self.pieces)

    def dumps(self) -> Sequence[PlacedDump]:
        """The dumps in order."""
        if self._dumps is None:
            self._dumps = tuple(map(self.dump, range(len(self.dump_indices))))
        return self._dumps

    def dump(self, number: int) -> PlacedDump:
        """One of the dumps, counted from 0."""
        index = self.dump_indices[number]
        return PlacedDump(
            self.pieces[index], self._byte_starts[index], self._line_starts[index], number, index
        )

    def first_line(self, number: int) -> int:
        """The first line of one of the dumps, counted from 0."""
        return self._line_starts[self.dump_indices[number]]

    def line_behind(self, number: int) -> int:
        """The line behind the last of one of the dumps."""
        return self._line_starts[self.dump_indices[number] + 1]

    def dump_pieces(self) -> list[Piece]:
        """The pieces that are dumps, in order."""
        return [self.pieces[index] for index in self.dump_indices]

    def dumps_in_lines(self, first: int, last: int) -> list[PlacedDump]:
        """The dumps that have a line from `first` to `last`, both included."""
        line_of = self._line_starts.__getitem__
        end = bisect_right(self.dump_indices, last, key=line_of)
        # Dumps have at least one line each, so of those that begin before `first` only the last can reach it.
        begin = max(bisect_left(self.dump_indices, first, key=line_of) - 1, 0)
        return [
            dump
            for dump in map(self.dump, range(begin, end))
            if dump.first_line + max(dump.piece.line_ends - 1, 0) >= first
        ]

    def dump_at(self, offset: int) -> PlacedDump | None:
        """The dump that holds a byte offset; the offset right behind a last, unfinished dump is in it."""
        index = self._piece_at(offset)
        if index < 0 or not self.pieces[index].is_dump:
            return None
        return self.dump(bisect_left(self.dump_indices, index))

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The byte offset of an LSP position; what is outside of the text means its nearest end."""
        if not self.pieces:
            return 0
        index = self._piece_of_line(line)
        local = self.pieces[index].lines.offset(line - self._line_starts[index], character, encoding)
        return self._byte_starts[index] + local

    def raw_offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The raw byte offset of an LSP position, which may be within a log prefix."""
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
        """The snapshot after the raw bytes [start, end) became `new_text`, of the same version number.

        The second part says which dump was edited, where the edit lies within one dump that is still
        one dump afterwards.
        """
        within = self._edit_within_line(start, end, new_text) or self._edit_of_text(start, end, new_text)
        if within is not None:
            return within
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
        new_pieces = _with_pieces_kept(old_pieces, _cut(region))
        snapshot = self._with_pieces(first, last, new_pieces)
        return snapshot, self._edit_of_one_dump(old_pieces, new_pieces, start, end, new_text)

    def _edit_within_line(self, start: int, end: int, new_text: bytes) -> tuple[Snapshot, DumpEdit] | None:
        """`replace` within an indented line of a dump that is more than spaces before and after.

        Where dumps start and end is decided by other lines alone. None for any other edit.
        """
        index = self._piece_at_raw(start)
        if index < 0 or not self.pieces[index].is_dump or b"\n" in new_text or b"\r" in new_text:
            return None
        piece, base = self.pieces[index], self._raw_starts[index]
        first, last, text, hidden = start - base, end - base, piece.text, piece.hidden
        if hidden is not None:
            if b"\x1b" in new_text or not hidden.is_visible(first, last):
                return None
            if hidden.raw.count(b"\n", 0, first) <= LINES_COMPARED:
                return None
            first, last = hidden.offset(first), hidden.offset(last)
            hidden = hidden.edited(first, last, new_text)
        line_start, line_end = text.rfind(b"\n", 0, first) + 1, text.find(b"\n", last)
        if line_start == 0 or line_end < 0:
            return None
        old, new = text[line_start:line_end], text[line_start:first] + new_text + text[last:line_end]
        if b"\n" in old or b"\r" in old or not _is_indented(old) or not _is_indented(new):
            return None
        if b"shader:" in old or b"shader:" in new:
            return None
        after = Piece(text[:first] + new_text + text[last:], True, piece.slot, piece.line_ends, hidden)
        splice = Splice(first, last, first + len(new_text))
        return self._with_pieces(index, index + 1, [after]), DumpEdit(piece, after, splice)

    def _edit_of_text(self, start: int, end: int, new_text: bytes) -> tuple[Snapshot, None] | None:
        """`replace` of lines that no dump begins, ends or goes on with, before and after. Else None."""
        index = self._piece_at_raw(start)
        if index < 0 or self.pieces[index].is_dump or self.pieces[index].hidden is not None:
            return None
        text, base = self.pieces[index].text, self._raw_starts[index]
        first, last = start - base, end - base
        line_start, line_end = text.rfind(b"\n", 0, first) + 1, text.find(b"\n", last)
        if line_end < 0 or not self._is_behind_text(index, line_start):
            return None
        old, new = text[line_start:line_end], text[line_start:first] + new_text + text[last:line_end]
        if _MAY_BE_OF_A_DUMP.search(old) or _MAY_BE_OF_A_DUMP.search(new) or b"\x1b" in new:
            return None
        if b"shader:" in new or b"shader:" in text[_lines_above(text, line_start) : line_end]:
            return None
        after = Piece(text[:first] + new_text + text[last:], is_dump=False)
        return self._with_pieces(index, index + 1, [after]), None

    def _is_behind_text(self, index: int, offset: int) -> bool:
        """Whether there is no dump above that offset of a piece, or a line in between that is not blank."""
        if index == 0 or _NOT_BLANK.search(self.pieces[index].text, 0, offset):
            return True
        above = self.pieces[index - 1]
        return not above.is_dump and _NOT_BLANK.search(above.text) is not None

    def _with_pieces(self, first: int, last: int, new: Sequence[Piece]) -> Snapshot:
        """A snapshot with other pieces instead of [first, last). What is behind moves, nothing else."""
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

    def _pieces_to_cut_again(self, start: int, end: int) -> tuple[int, int]:
        """The pieces [first, last) that have to be cut again after an edit of bytes [start, end).

        Where a dump starts is seen from its `shader:` line alone, where it ends from its text and what
        follows it up to the next start. So the cut starts at the dump that holds the edit, or at the
        one before if the edit could undo the start of this one, and goes to the next start behind it.
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
    """The edit that makes `new` of `old`, without what both begin and end with."""
    start = _common(old, new, lambda data, size: data[:size], min(len(old), len(new)))
    rest = min(len(old), len(new)) - start
    tail = _common(old, new, lambda data, size: data[len(data) - size :], rest)
    return start, len(old) - tail, new[start : len(new) - tail]


def _common(old: bytes, new: bytes, part: Callable[[bytes, int], bytes], limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if part(old, middle) == part(new, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: bytes) -> list[Piece]:
    pieces: list[Piece] = []
    for part in log_parts(text):
        if part.is_dump or part.hidden is not None:
            pieces.append(Piece(part.text, part.is_dump, hidden=part.hidden))
        else:
            pieces += _cut_text(part.text, 0, len(part.text))
    return pieces


def _cut_text(text: bytes, start: int, end: int) -> Iterator[Piece]:
    """Text without a dump as pieces of whole lines: what is typed in one costs as much as it has bytes."""
    while end - start > 2 * TEXT_SIZE:
        middle = text.find(b"\n", start + TEXT_SIZE, end) + 1 or end
        yield Piece(text[start:middle], is_dump=False)
        start = middle
    if start < end:
        yield Piece(text[start:end], is_dump=False)


def _indices_of_dumps(pieces: Sequence[Piece]) -> list[int]:
    return [index for index, piece in enumerate(pieces) if piece.is_dump]


def _moved(starts: Sequence[int], first: int, last: int, sizes: Sequence[int]) -> list[int]:
    """Where pieces start, and the last ends, when those of [first, last) are others of these sizes."""
    new = list(accumulate(sizes, initial=starts[first]))
    growth = new[-1] - starts[last]
    return [*starts[:first], *new, *[start + growth for start in starts[last + 1 :]]]


def _with_pieces_kept(old: Sequence[Piece], new: Sequence[Piece]) -> list[Piece]:
    """The new pieces, with the old object for each whose text is still there, and old slots."""
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
    """Where the lines begin that say with this one whether there is a log prefix."""
    for _ in range(LINES_COMPARED):
        if line_start == 0:
            break
        line_start = text.rfind(b"\n", 0, line_start - 1) + 1
    return line_start


def _is_indented(line: bytes) -> bool:
    return line[:1] in (b" ", b"\t") and not line.isspace()


def _end_of_start(dump: Piece) -> int:
    """The raw offset in the dump behind the lines that make it one."""
    if dump.hidden is not None:
        lines = dump.lines.raw.starts
        return lines[LINES_COMPARED + 1] if len(lines) > LINES_COMPARED + 1 else len(dump.raw)
    line = _SHADER_LINE.search(dump.text)
    return len(dump.text) if line is None else line.end()


def _ends_in_directive(text: bytes) -> bool:
    last_line = text.rfind(b"\n", 0, max(len(text) - 1, 0)) + 1
    return _DIRECTIVE.match(text, last_line) is not None
