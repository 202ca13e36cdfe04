"""Linking of dumps of open documents with each other and with partner files on disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.results_by_content import DumpTexts
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.pipelines.pipelines import Pipeline, find_pipelines, partner_names
from nirls.server.engine.settings.project_file import ProjectFile, find_project_file, read_project_file

if TYPE_CHECKING:
    from nirls.ir.io.view import IoView

LARGEST_PARTNER = 16 << 20
"""Size limit in bytes of partner files; larger ones are not read."""


@dataclass(frozen=True, slots=True)
class LinkedDump:
    """A stage of a pipeline: its document, open or a partner file, and its dump."""

    document: Document
    dump: PlacedDump

    def io_view(self) -> IoView:
        """Return its inputs and outputs."""
        return self.document.io_view(self.dump)


@dataclass(frozen=True, slots=True)
class LinkedPipeline:
    """A pipeline with its dumps, in pipeline order."""

    pipeline: Pipeline
    members: tuple[LinkedDump, ...]

    def texts(self) -> tuple[bytes, ...]:
        """The texts of the dumps."""
        return tuple(member.dump.piece.text for member in self.members)

    def linked_texts(self) -> DumpTexts:
        """The texts of the dumps with the maps printed below them."""
        return DumpTexts(
            self.texts(), tuple(member.document.urb_maps(member.dump) for member in self.members)
        )


PlaceInPipeline = tuple[LinkedPipeline, int]
"""A pipeline, and the position of a dump in it."""


def places_by_slot(pipelines: Iterable[LinkedPipeline]) -> dict[int, list[PlaceInPipeline]]:
    """Return the places of each dump in pipelines, by its slot."""
    found: dict[int, list[PlaceInPipeline]] = {}
    for linked in pipelines:
        for position, member in enumerate(linked.members):
            found.setdefault(member.dump.piece.slot, []).append((linked, position))
    return found


class Linker:
    """Finds the pipelines of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._projects: dict[Path, tuple[tuple[int, int] | None, ProjectFile]] = {}

    def project_of(self, document: Document) -> ProjectFile | None:
        """Return the `nirls.toml` that applies to a document; it is reread after changes on disk."""
        if document.path is None:
            return None
        path = find_project_file(document.path)
        if path is None:
            return None
        stamp = _stamp(path)
        known = self._projects.get(path)
        if known is None or known[0] != stamp:
            known = self._projects[path] = (stamp, read_project_file(path))
        return known[1]

    def pipelines_of(self, document: Document) -> list[LinkedPipeline]:
        """Find the pipelines that contain a dump of the document."""
        documents = self._linkable_with(document)
        pipelines = find_pipelines([document.linkable() for document in documents], self.project_of(document))
        by_key = {document.uri: document for document in documents}
        dumps = {document.uri: list(document.snapshot.dumps()) for document in documents}
        found = []
        for pipeline in pipelines:
            if all(member.dump.document != document.uri for member in pipeline.members):
                continue
            members = tuple(
                LinkedDump(by_key[member.dump.document], dumps[member.dump.document][member.dump.number])
                for member in pipeline.members
            )
            found.append(LinkedPipeline(pipeline, members))
        return found

    def _linkable_with(self, document: Document) -> list[Document]:
        """The document, all other open ones, and its partner files."""
        documents = [document, *(one for one in self._workspace if one is not document)]
        open_paths = {document.path for document in documents}
        project = self.project_of(document)
        folder = None if project is None else project.path.parent
        for path in partner_paths(document, project):
            if path not in open_paths:
                partner = self._workspace.partner(path, LARGEST_PARTNER, folder, document.uri)
                if partner is not None:
                    documents.append(partner)
        return documents


def partner_paths(document: Document, project: ProjectFile | None) -> list[Path]:
    """Paths that the naming rule or a project file links with a document; the files may not exist."""
    if document.path is None:
        return []
    found = dict.fromkeys(document.path.with_name(name) for name in partner_names(document.path.name))
    for declared in () if project is None else project.pipelines:
        members = [reference.path for _, reference in declared.members]
        if document.path in members:
            found.update(dict.fromkeys(members))
    return list(found)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
