"""A finding as reports show it: plain data with its place in a file, for other processes and caches too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nirls.passes.finding import FindingCode, Severity
from nirls.server.engine.positions import Encoding, Position, Range

CHARACTERS = Encoding.UTF16
"""The unit in which reports count the characters of a line, as LSP does by default."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a dump is: its file, and the line of that which is its first."""

    file: str
    first_line: int

    def range(self, place: Range) -> Range:
        """A range of the file, for one that counts lines from the first of the dump."""
        start, end = place
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
            else replace(
                fix, edits=tuple(FileEdit(*place(one.file, one.range), one.new_text) for one in fix.edits)
            )
            for fix in self.fixes
        )
        return replace(self, file=file, range=range_, related=notes, fixes=fixes)


def in_order(reported: Iterable[Reported], files: Iterable[str]) -> list[Reported]:
    """Sorted by file, place and severity; `files` are all of their files, in order."""
    order = {name: index for index, name in enumerate(files)}
    return sorted(reported, key=lambda one: (order[one.file], one.range.start, one.severity.rank, one.code))
