"""A finding as reports show it: plain data with its place in a file, for other processes and caches too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nirls.passes.finding import FindingCode, Severity
from nirls.server.engine.document import Piece
from nirls.server.engine.positions import Encoding, LineIndex, Position, Range

CHARACTERS = Encoding.UTF16
"""The unit in which reports count the characters of a line, as LSP does by default."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a dump is: its file, and the line of that which is its first."""

    file: str
    first_line: int
    piece: Piece | None = None

    def range(self, place: Range) -> Range:
        """A range of the file, for one of the dump's text: its first line is 0, log prefixes do not count."""
        if self.piece is None or self.piece.hidden is None:
            return self._moved(*place)
        plain, lines = LineIndex(self.piece.text), self.piece.lines
        offsets = (plain.offset(one.line, one.character, CHARACTERS) for one in place)
        return self._moved(*(lines.position(offset, CHARACTERS) for offset in offsets))

    def edit(self, edit: FileEdit) -> FileEdit:
        """An edit of the file, for one of the dump's text."""
        if self.piece is None or self.piece.hidden is None:
            return FileEdit(self.file, self._moved(*edit.range), edit.new_text)
        plain, raw = LineIndex(self.piece.text), self.piece.lines.raw
        start, end = (plain.offset(one.line, one.character, CHARACTERS) for one in edit.range)
        raw_start, raw_end, new_text = self.piece.raw_edit(start, end, edit.new_text)
        place = self._moved(raw.position(raw_start, CHARACTERS), raw.position(raw_end, CHARACTERS))
        return FileEdit(self.file, place, new_text)

    def _moved(self, start: Position, end: Position) -> Range:
        return Range(
            Position(start.line + self.first_line, start.character),
            Position(end.line + self.first_line, end.character),
        )


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A replacement of a piece of a file."""

    file: str
    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class ReportedFix:
    """A fix. `edits` is None where nobody asked for them, and for a fix of more than its finding."""

    title: str
    kind: str
    key: str
    edits: tuple[FileEdit, ...] | None


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that explains a finding."""

    file: str
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The first line of a finding, and the characters of it that are meant: from `start` to before `end`."""

    line: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with its place in a file. `severity` is the one that the settings leave it."""

    file: str
    range: Range
    excerpt: Excerpt
    kind: FindingCode
    severity: Severity
    message: str
    pass_name: str
    related: tuple[Note, ...]
    fixes: tuple[ReportedFix, ...]
    data: dict[str, object]

    @property
    def code(self) -> str:
        return self.kind.code

    def placed(self, dumps: Sequence[FilePlace]) -> Reported:
        """The finding in files, for one whose files are numbers of dumps."""

        def place(file: str, place: Range) -> tuple[str, Range]:
            dump = dumps[int(file)]
            return dump.file, dump.range(place)

        file, range_ = place(self.file, self.range)
        notes = tuple(Note(*place(note.file, note.range), note.message) for note in self.related)
        fixes = tuple(
            fix
            if fix.edits is None
            else replace(fix, edits=tuple(dumps[int(one.file)].edit(one) for one in fix.edits))
            for fix in self.fixes
        )
        return replace(self, file=file, range=range_, related=notes, fixes=fixes)


def in_order(reported: Iterable[Reported], files: Iterable[str]) -> list[Reported]:
    """Sorted by file, place and severity; `files` are all of their files, in order."""
    order = {name: index for index, name in enumerate(files)}
    return sorted(reported, key=lambda one: (order[one.file], one.range.start, one.severity.rank, one.code))
