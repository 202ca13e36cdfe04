"""`nirls check`: the work on the documents of a workspace, and its results placed in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nirls.server.cli.reported import FilePlace, Reported, in_order
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.pipelines import DumpRef


@dataclass(frozen=True, slots=True)
class Check:
    """All the work on a workspace: `units`, and for each the places of its dumps."""

    workspace: LinkedFiles
    units: tuple[Unit, ...]
    _places: tuple[tuple[FilePlace, ...], ...]

    @classmethod
    def of(cls, workspace: LinkedFiles, settings: CheckSettings, *, edits_of: Sequence[str] = ()) -> Check:
        """The work: each pipeline with its dumps, and each dump that is in none, in the order of files.

        Fixes of the kinds in `edits_of` come with what they change.
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
            units.append(Unit(texts, alone, group[0] in linked, settings, tuple(edits_of)))
            places.append(tuple(_place(workspace, dump) for dump in group))
        return cls(workspace, tuple(units), tuple(places))

    def findings(self, by_unit: Mapping[int, Iterable[Reported]]) -> list[Reported]:
        """What was found in each unit, placed in the files that were named, in their order."""
        named = [document.uri for document in self.workspace.named()]
        wanted = set(named)
        placed = (one.placed(places) for unit, places in enumerate(self._places) for one in by_unit[unit])
        return in_order((one for one in placed if one.file in wanted), named)


def findings_of(
    workspace: LinkedFiles, settings: CheckSettings, *, edits_of: Sequence[str] = ()
) -> list[Reported]:
    """What `nirls check` reports about a workspace, computed here and now."""
    check = Check.of(workspace, settings, edits_of=edits_of)
    return check.findings({number: check_unit(unit) for number, unit in enumerate(check.units)})


def _place(workspace: LinkedFiles, dump: DumpRef) -> FilePlace:
    document = workspace.documents[dump.document]
    placed = document.snapshot.dump(dump.number)
    return FilePlace(document.uri, placed.first_line, placed.piece)
