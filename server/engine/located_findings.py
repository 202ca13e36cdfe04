"""Findings of files with their lines and columns, as `nirls check` and `nirls.check` report them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nirls.ir.finding import Finding, Fix, Place
from nirls.server.engine.batch.unit import FixVerdict, MadeFix, Unit, UnitFindings, check_unit, fix_id
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.document import PlacedDump
from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.pipelines import DumpRef
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

    `fixes` are those of the unit that were made, by `fix_id`.
    """

    finding: Finding
    dumps: tuple[tuple[str, PlacedDump], ...]
    fixes: Mapping[str, MadeFix]

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
        made = self._made(fix)
        if made is None:
            return None
        return [FileEdit(self.location(one.place), one.new_text) for one in made.edits]

    def verdict_of(self, fix: Fix) -> FixVerdict | None:
        """Return the verdict on a fix; None if it was not validated."""
        made = self._made(fix)
        return None if made is None else made.verdict

    def _made(self, fix: Fix) -> MadeFix | None:
        return self.fixes.get(fix_id(self.finding, fix, self.finding.place.dump))


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


@dataclass(frozen=True, slots=True)
class Check:
    """The units of work on a workspace, and the dumps of each unit with their files."""

    workspace: LinkedFiles
    units: tuple[Unit, ...]
    _dumps: tuple[tuple[tuple[str, PlacedDump], ...], ...]

    @classmethod
    def of(
        cls,
        workspace: LinkedFiles,
        settings: CheckSettings,
        *,
        edits_of: Sequence[str] = (),
        verifies: bool = False,
    ) -> Check:
        """Create a unit for each pipeline and each unlinked dump, in the order of files.

        Edits are computed for fixes of the kinds in `edits_of`, and validated with `verifies`.
        """
        groups = [tuple(member.dump for member in pipeline.members) for pipeline in workspace.pipelines]
        linked = {dump for group in groups for dump in group}
        named = workspace.dumps()
        groups += [(dump,) for dump in named if dump not in linked]
        order = {dump: place for place, dump in enumerate(named)}
        groups = [group for group in groups if any(dump in order for dump in group)]
        groups.sort(key=lambda group: min(order[dump] for dump in group if dump in order))
        units, places, seen = [], [], set(linked.difference(named))
        for group in groups:
            texts = tuple(workspace.text(dump) for dump in group)
            alone = tuple(dump not in seen for dump in group)
            seen.update(group)
            own = settings.for_document(workspace.documents[group[0].document])
            units.append(Unit(texts, alone, group[0] in linked, own, tuple(edits_of), verifies))
            places.append(tuple(_in_file(workspace, dump) for dump in group))
        return cls(workspace, tuple(units), tuple(places))

    def findings(self, by_unit: Mapping[int, UnitFindings]) -> list[LocatedFinding]:
        """Return the findings in the named files, sorted, given the findings of each unit."""
        named = [document.uri for document in self.workspace.named()]
        wanted = set(named)
        located = (
            LocatedFinding(one, dumps, by_unit[unit].fixes)
            for unit, dumps in enumerate(self._dumps)
            for one in by_unit[unit].findings
        )
        return in_order((one for one in located if one.file in wanted), named)


def findings_of(
    workspace: LinkedFiles, settings: CheckSettings, *, edits_of: Sequence[str] = ()
) -> list[LocatedFinding]:
    """Compute the findings that `nirls check` reports for a workspace, in this process."""
    check = Check.of(workspace, settings, edits_of=edits_of)
    return check.findings({number: check_unit(unit) for number, unit in enumerate(check.units)})


def _in_file(workspace: LinkedFiles, dump: DumpRef) -> tuple[str, PlacedDump]:
    document = workspace.documents[dump.document]
    return document.uri, document.snapshot.dump(dump.number)
