"""Work units of `nirls check` for a workspace, and findings with their file positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nirls.server.cli.locations import LocatedFinding, in_order
from nirls.server.engine.batch.unit import Unit, UnitFindings, check_unit
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.document import PlacedDump
from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.pipelines import DumpRef


@dataclass(frozen=True, slots=True)
class Check:
    """The units of work on a workspace, and the dumps of each unit with their files."""

    workspace: LinkedFiles
    units: tuple[Unit, ...]
    _dumps: tuple[tuple[tuple[str, PlacedDump], ...], ...]

    @classmethod
    def of(cls, workspace: LinkedFiles, settings: CheckSettings, *, edits_of: Sequence[str] = ()) -> Check:
        """Create a unit for each pipeline and each unlinked dump, in the order of files.

        Edits are computed for fixes of the kinds in `edits_of`.
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
            units.append(Unit(texts, alone, group[0] in linked, own, tuple(edits_of)))
            places.append(tuple(_in_file(workspace, dump) for dump in group))
        return cls(workspace, tuple(units), tuple(places))

    def findings(self, by_unit: Mapping[int, UnitFindings]) -> list[LocatedFinding]:
        """Return the findings in the named files, sorted, given the findings of each unit."""
        named = [document.uri for document in self.workspace.named()]
        wanted = set(named)
        located = (
            LocatedFinding(one, dumps, by_unit[unit].edits)
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
