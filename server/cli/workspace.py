"""The documents of one run of the command: their dumps, parsed when needed, and their pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.cli.inputs import InputFile
from nirls.server.engine.document import PlacedDump, Snapshot
from nirls.server.engine.dump_facts import dump_facts
from nirls.server.engine.pipelines import (
    DumpRef,
    LinkableDocument,
    Pipeline,
    find_pipelines,
    partner_names,
)
from nirls.server.engine.project_file import ProjectFile

_LARGEST_PARTNER = 16 << 20
"""Bytes; a larger file beside one that was named is not read as its partner."""


@dataclass(eq=False)
class Document:
    """A file with its dumps. `is_context` marks one that was not named, but read as a partner."""

    file: InputFile
    is_context: bool = False

    @cached_property
    def snapshot(self) -> Snapshot:
        return Snapshot.of(self.file.data)

    @cached_property
    def dumps(self) -> list[PlacedDump]:
        return list(self.snapshot.dumps())

    @cached_property
    def _shaders(self) -> dict[int, Shader]:
        return {}

    def shader(self, number: int) -> Shader:
        """The dump of that number as IR, parsed once."""
        if number not in self._shaders:
            self._shaders[number] = parse_dump(self.dumps[number].piece.text)
        return self._shaders[number]

    def linkable(self) -> LinkableDocument:
        path = None if self.file.path is None else self.file.path.resolve()
        facts = tuple(dump_facts(dump.piece.text) for dump in self.dumps)
        return LinkableDocument(self.file.name, path, facts)


@dataclass(eq=False)
class Workspace:
    """All documents of a run, by name, with the project file that applies to them."""

    documents: dict[str, Document]
    project: ProjectFile | None = None

    @classmethod
    def of(
        cls, files: Iterable[InputFile], project: ProjectFile | None = None, *, partners: bool = False
    ) -> Workspace:
        """The files that were named; with `partners` also those that the naming rule and the project

        file link to them, for context.
        """
        documents = {file.name: Document(file) for file in files}
        workspace = cls(documents, project)
        if partners:
            for path in workspace._missing_partners():
                name = str(path)
                documents.setdefault(
                    name, Document(InputFile(name, path, path.read_bytes()), is_context=True)
                )
        return workspace

    @cached_property
    def pipelines(self) -> list[Pipeline]:
        return find_pipelines([document.linkable() for document in self.documents.values()], self.project)

    def shader(self, dump: DumpRef) -> Shader:
        return self.documents[dump.document].shader(dump.number)

    def named(self) -> list[Document]:
        """The documents that were named on the command line."""
        return [document for document in self.documents.values() if not document.is_context]

    def _missing_partners(self) -> Iterator[Path]:
        paths = [document.file.path for document in self.documents.values() if document.file.path]
        known = {path.resolve() for path in paths}
        beside = [path.with_name(name) for path in paths for name in partner_names(path.name)]
        # A link to elsewhere would have a file read that nobody named.
        wanted = [path for path in beside if path.resolve().parent == path.parent.resolve()]
        for pipeline in () if self.project is None else self.project.pipelines:
            members = [reference.path for _, reference in pipeline.members]
            if not known.isdisjoint(members):
                wanted += members
        for path in wanted:
            if path.resolve() not in known and _is_small_file(path):
                known.add(path.resolve())
                yield path


def _is_small_file(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= _LARGEST_PARTNER
    except OSError:
        return False
