"""Findings of files with their lines and columns, as `nirls check` and `nirls.check` report them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nirls.ir.finding import Finding, Fix, FixRequest, FixScope, Place, Related
from nirls.passes.varyings.link_total import LinkTotal
from nirls.server.engine.batch.unit import (
    FixEdit,
    MadeFix,
    Unit,
    UnitFindings,
    check_unit,
)
from nirls.server.engine.checks.check_settings import CheckSettings, adjusted
from nirls.server.engine.checks.finding_codes import judged_codes
from nirls.server.engine.checks.fix_verdicts import FixVerdict
from nirls.server.engine.documents.allowances import DumpAllowances, allowances, removal, unused
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.positions import Encoding, Range
from nirls.server.engine.documents.shown_findings import facts_of, repeated_facts
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef

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

    `fixes` are those of the unit that were made, `total` is what linking its dumps saves as a whole.
    """

    finding: Finding
    dumps: tuple[tuple[str, PlacedDump], ...]
    fixes: Mapping[FixRequest, MadeFix]
    total: LinkTotal | None = None

    @property
    def file(self) -> str:
        return self.dumps[self.finding.place.dump][0]

    @property
    def dump(self) -> PlacedDump:
        return self.dumps[self.finding.place.dump][1]

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
        return [self._in_file(one) for one in made.edits]

    def _in_file(self, edit: FixEdit) -> FileEdit:
        """Convert an edit of a dump to one of its file, with log prefixes."""
        place = edit.place
        file, dump = self.dumps[place.dump]
        at, new_text = dump.edit(place.start, place.end, edit.new_text, CHARACTERS)
        return FileEdit(Location(file, at), new_text)

    def verdict_of(self, fix: Fix) -> FixVerdict | None:
        """Return the verdict on a fix; None if it was not verified."""
        made = self._made(fix)
        return None if made is None else made.verdict

    def _made(self, fix: Fix) -> MadeFix | None:
        return self.fixes.get(fix.request)


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
    settings: CheckSettings
    units: tuple[Unit, ...]
    _dumps: tuple[tuple[tuple[str, PlacedDump], ...], ...]

    @classmethod
    def of(
        cls,
        workspace: LinkedFiles,
        settings: CheckSettings,
        *,
        edits_of: Sequence[FixScope] = (),
        verifies: bool = False,
        totals: bool = False,
    ) -> Check:
        """Create a unit for each pipeline and each unlinked dump, in the order of files.

        Edits are computed for fixes of the scopes in `edits_of`, and verified with `verifies`; with
        `totals`, the whole saving of each pipeline is computed.
        """
        linked, named = workspace.linked, workspace.dumps()
        order = {dump: place for place, dump in enumerate(named)}
        groups = [group for group in workspace.groups() if any(dump in order for dump in group)]
        groups.sort(key=lambda group: min(order[dump] for dump in group if dump in order))
        units, places, seen = [], [], set(linked.difference(named))
        for group in groups:
            texts = tuple(workspace.text(dump) for dump in group)
            alone = tuple(dump not in seen for dump in group)
            seen.update(group)
            own = settings.for_document(workspace.documents[group[0].document])
            units.append(Unit(texts, alone, group[0] in linked, own, tuple(edits_of), verifies, totals))
            places.append(tuple(_in_file(workspace, dump) for dump in group))
        return cls(workspace, settings, tuple(units), tuple(places))

    def findings(self, by_unit: Mapping[int, UnitFindings]) -> list[LocatedFinding]:
        """Return the findings to show in the named files, sorted, given the findings of each unit.

        Left out are those that a newer snapshot of a shader repeats, unless the settings show them, and those
        that comments allow.
        """
        named = self.workspace.named()
        found: dict[str, dict[int, list[LocatedFinding]]] = {document.uri: {} for document in named}
        for unit, dumps in enumerate(self._dumps):
            fixes = by_unit[unit].fixes
            for one in by_unit[unit].findings:
                placed = _placed_in(found, one, dumps)
                located = LocatedFinding(placed, dumps, fixes, by_unit[unit].total)
                if located.file in found:
                    found[located.file].setdefault(located.dump.number, []).append(located)
        shown = [one for document in named for one in self._shown(document, found[document.uri])]
        return in_order(shown, [document.uri for document in named])

    def _shown(
        self, document: Document, by_dump: Mapping[int, list[LocatedFinding]]
    ) -> Iterator[LocatedFinding]:
        settings = self.settings
        states = [document.state(dump.piece) for dump in document.snapshot.dumps()]
        raw = {number: tuple(one.finding for one in found) for number, found in by_dump.items()}
        texts = {number: states[number].text for number in raw}
        facts = [one.facts for one in states]
        repeated = {} if settings.shows_repeated else repeated_facts(raw, texts, facts)
        of_file = document.allowed_in_file()
        in_file = {finding.code for findings in raw.values() for finding in findings}
        for number, dump in enumerate(document.snapshot.dumps()):
            own = states[number].of_text(allowances)
            found, hidden = by_dump.get(number, []), repeated.get(number, frozenset())
            allowed = DumpAllowances(dump.piece.text, own, of_file)
            of_dump = facts_of(raw.get(number, ()), dump.piece.text)
            for one, fact in zip(found, of_dump, strict=True):
                if fact not in hidden and not allowed.covers(one.finding):
                    yield one
            if own:
                is_linked = DumpRef(document.uri, number) in self.workspace.linked
                judged = judged_codes(settings, is_linked=is_linked, is_analyzed=True)
                unused_findings = unused(dump.piece.text, own, raw.get(number, ()), judged, in_file)
                for finding in adjusted(unused_findings, settings):
                    yield _on_comment(finding, document.uri, dump)


def _placed_in(files: Container[str], finding: Finding, dumps: Sequence[tuple[str, PlacedDump]]) -> Finding:
    """Return a finding with its place in one of `files`, if it or any other site is in one.

    A pass on linked dumps reports a fact at its cause, which may be in a file that was not named.
    """
    sites = [one for one in finding.related if one.is_site and dumps[one.place.dump][0] in files]
    if dumps[finding.place.dump][0] in files or not sites:
        return finding
    cause = Related(finding.place, "the cause is here", is_site=True)
    related = (cause, *(one for one in finding.related if one is not sites[0]))
    return replace(finding, place=sites[0].place, related=related)


def _on_comment(finding: Finding, file: str, dump: PlacedDump) -> LocatedFinding:
    """Locate a finding on an allowance, with the edit that removes the allowance."""
    made: dict[FixRequest, MadeFix] = {}
    for fix in finding.fixes:
        place = removal(dump.piece.text, fix.request)
        if place is not None:
            made[fix.request] = MadeFix((FixEdit(Place(0, *place), ""),))
    return LocatedFinding(finding, ((file, dump),), made)


def findings_of(
    workspace: LinkedFiles, settings: CheckSettings, *, edits_of: Sequence[FixScope] = ()
) -> list[LocatedFinding]:
    """Compute the findings that `nirls check` reports for a workspace, in this process."""
    check = Check.of(workspace, settings, edits_of=edits_of)
    return check.findings({number: check_unit(unit) for number, unit in enumerate(check.units)})


def _in_file(workspace: LinkedFiles, dump: DumpRef) -> tuple[str, PlacedDump]:
    document = workspace.documents[dump.document]
    return document.uri, document.snapshot.dump(dump.number)
