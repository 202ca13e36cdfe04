"""A unit of checking: files that have to be seen together, because dumps of theirs are linked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from nirls.server.checking import CheckSettings
from nirls.server.command_line.check import Check
from nirls.server.command_line.inputs import InputFile
from nirls.server.command_line.reported import Reported
from nirls.server.command_line.workspace import Document, Workspace
from nirls.server.project_file import ProjectFile

_STEPS_AT_ONCE = 32
_MOST_UNITS = 8
"""Of one group of files: each unit reads them all again."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one process needs for its share of the work.

    `files` are with whether they are there for context only. The share is the steps from `first` to before
    `last` of those that `Check` makes for them.
    """

    files: tuple[tuple[InputFile, bool], ...]
    project: ProjectFile | None
    settings: CheckSettings
    with_edits: bool
    first: int
    last: int

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        return sum(len(file.data) for file, _ in self.files) * (self.last - self.first) // max(self.last, 1)

    def key(self, program: str) -> str:
        """A name for the result, which changes with everything that the result depends on.

        `program` stands for the version of nirls and its passes.
        """
        digest = hashlib.sha256()
        parts = (program, self.project, _sorted(self.settings), self.with_edits, self.first, self.last)
        digest.update(repr(parts).encode())
        for file, is_context in self.files:
            content = hashlib.sha256(file.data).hexdigest()
            digest.update(repr((file.name, str(file.path), is_context, content)).encode())
        return digest.hexdigest()


def units_of(workspace: Workspace, settings: CheckSettings, *, with_edits: bool) -> list[Unit]:
    """All the work on a workspace, in its order. A file with many dumps becomes several units."""
    units = []
    for documents in _groups(workspace):
        files = tuple((document.file, document.is_context) for document in documents)
        steps = len(_check_of(files, workspace.project, settings, with_edits=False).steps())
        at_once = max(_STEPS_AT_ONCE, -(-steps // _MOST_UNITS))
        for first in range(0, steps, at_once):
            last = min(first + at_once, steps)
            units.append(Unit(files, workspace.project, settings, with_edits, first, last))
    return units


def check_unit(unit: Unit) -> list[Reported]:
    """The findings of a unit. Runs in whatever process."""
    check = _check_of(unit.files, unit.project, unit.settings, with_edits=unit.with_edits)
    return [found for step in check.steps()[unit.first : unit.last] for found in step()]


def _check_of(
    files: Iterable[tuple[InputFile, bool]],
    project: ProjectFile | None,
    settings: CheckSettings,
    *,
    with_edits: bool,
) -> Check:
    documents = {file.name: Document(file, is_context) for file, is_context in files}
    # A fix of more than its finding is what `nirls opt` does.
    return Check(Workspace(documents, project), settings, edits_of=("one",) if with_edits else ())


def _groups(workspace: Workspace) -> list[list[Document]]:
    """The documents, those with a pipeline in common together, in the order of their first."""
    group_of = {name: name for name in workspace.documents}

    def group(name: str) -> str:
        while group_of[name] != name:
            group_of[name] = group_of[group_of[name]]
            name = group_of[name]
        return name

    for pipeline in workspace.pipelines:
        first, *others = (member.dump.document for member in pipeline.members)
        for other in others:
            group_of[group(other)] = group(first)
    groups: dict[str, list[Document]] = {}
    for name, document in workspace.documents.items():
        groups.setdefault(group(name), []).append(document)
    return [documents for documents in groups.values() if not all(one.is_context for one in documents)]


def _sorted(settings: CheckSettings) -> object:
    return (
        sorted((code, severity.value) for code, severity in settings.severities.items()),
        sorted(settings.passes.items()),
        sorted((name, sorted(options.items())) for name, options in settings.options.items()),
    )
