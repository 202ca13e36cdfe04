"""Positions of findings in files, as lines and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nirls.ir.finding import Finding, Fix, Place
from nirls.server.engine.batch.unit import FixEdit, fix_id
from nirls.server.engine.document import PlacedDump
from nirls.server.engine.positions import Encoding, Range

CHARACTERS = Encoding.UTF16
"""The unit of columns in reports, LSP's default."""


class Location(NamedTuple):
    """A range of a file."""

    file: str
    range: Range


class Excerpt(NamedTuple):
    """The first line of a finding, and its characters [start, end) in that line."""

    line: str
    start: int
    end: int


class FileEdit(NamedTuple):
    """A replacement of a range of a file."""

    location: Location
    new_text: str


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding of a unit, with the files and positions of the dumps of the unit.

    `edits` are those of the fixes of the unit, by `fix_id`.
    """

    finding: Finding
    dumps: tuple[tuple[str, PlacedDump], ...]
    edits: Mapping[str, tuple[FixEdit, ...]]

    @property
    def file(self) -> str:
        return self.dumps[self.finding.place.dump][0]

    @property
    def range(self) -> Range:
        return self.location(self.finding.place).range

    @property
    def excerpt(self) -> Excerpt:
        place = self.finding.place
        lines = self.dumps[place.dump][1].piece.lines
        start = lines.position(place.start, Encoding.UTF32)
        end = lines.position(place.end, Encoding.UTF32)
        text = lines.text[lines.starts[start.line] : lines.line_end(start.line)].decode("utf-8", "replace")
        return Excerpt(text, start.character, end.character if end.line == start.line else len(text))

    def location(self, place: Place) -> Location:
        """Return the file and range of a place in the unit."""
        file, dump = self.dumps[place.dump]
        return Location(file, dump.range(place.start, place.end, CHARACTERS))

    def related(self) -> Iterator[tuple[Location, str]]:
        """Return the related locations of the finding, with their messages."""
        return ((self.location(one.place), one.message) for one in self.finding.related)

    def edits_of(self, fix: Fix) -> list[FileEdit] | None:
        """Return the edits of a fix; None if they were not computed."""
        edits = self.edits.get(fix_id(self.finding, fix, self.finding.place.dump))
        return None if edits is None else [FileEdit(self.location(one.place), one.new_text) for one in edits]


def in_order(found: Iterable[LocatedFinding], files: Iterable[str]) -> list[LocatedFinding]:
    """Sort findings by file, start, severity and code; `files` defines the order of all files."""
    order = {name: index for index, name in enumerate(files)}
    return sorted(
        found,
        key=lambda one: (
            order[one.file],
            one.range.start,
            one.finding.severity.rank,
            one.finding.code,
        ),
    )
