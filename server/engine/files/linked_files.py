"""Input files of one command or API call as documents, and their pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from nirls.ir.io.urb_maps import UrbMaps
from nirls.ir.model.shader import Shader
from nirls.server.engine.documents.linking import LARGEST_PARTNER, partner_paths
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.pipelines.dump_facts import DumpFacts
from nirls.server.engine.pipelines.pipelines import DumpRef, Pipeline, find_pipelines
from nirls.server.engine.settings.project_file import ProjectFile, find_project_file, read_project_file


def project_of(inputs: Sequence[InputFile], named: Path | None = None) -> ProjectFile | None:
    """Read the named project file, or the nearest one above the first input; None if there is none."""
    places = [file.path for file in inputs if file.path is not None]
    path = named or find_project_file((places[0] if places else Path()).absolute())
    return None if path is None else read_project_file(path)


class LinkedFiles:
    """Files as documents of a workspace, by name, with one project file for all of them.

    With `partners`, files that the naming rule or the project file links with them are also read, as
    documents that are not open.
    """

    def __init__(
        self, files: Iterable[InputFile], project: ProjectFile | None = None, *, partners: bool = False
    ) -> None:
        self.project = project
        self.workspace = Workspace()
        self._files: dict[str, InputFile] = {}
        for file in files:
            self._add(file, is_open=True)
        for file in [*self._missing_partners()] if partners else ():
            self._add(file, is_open=False)

    @property
    def documents(self) -> dict[str, Document]:
        """All documents by the names of their files."""
        return self.workspace.documents

    @cached_property
    def pipelines(self) -> list[Pipeline]:
        """The pipelines of all documents."""
        return find_pipelines([document.linkable() for document in self.documents.values()], self.project)

    def named(self) -> list[Document]:
        """Documents of the given files, without partners."""
        return [document for document in self.documents.values() if document.is_open]

    def dumps(self) -> list[DumpRef]:
        """Dumps of the given files, without partners."""
        return [
            DumpRef(document.uri, number)
            for document in self.named()
            for number in range(len(document.snapshot.dumps()))
        ]

    @cached_property
    def linked(self) -> set[DumpRef]:
        """Dumps that are in a pipeline."""
        return {dump for pipeline in self.pipelines for dump in pipeline.dumps}

    def unlinked(self) -> list[DumpRef]:
        """Dumps of the given files that are in no pipeline."""
        return [dump for dump in self.dumps() if dump not in self.linked]

    def groups(self, *, unlinked: bool = True) -> list[tuple[DumpRef, ...]]:
        """Dumps that passes take together: those of each pipeline, and with `unlinked` each other dump."""
        pipelines = [pipeline.dumps for pipeline in self.pipelines]
        return pipelines + [(dump,) for dump in self.unlinked()] if unlinked else pipelines

    def file(self, document: Document) -> InputFile:
        """The file of a document."""
        return self._files[document.uri]

    def text(self, dump: DumpRef) -> bytes:
        """The text of a dump."""
        return self.documents[dump.document].snapshot.dump(dump.number).piece.text

    def facts(self, dump: DumpRef) -> DumpFacts:
        """The facts of a dump for linking, which take no parsing."""
        document = self.documents[dump.document]
        return document.state(document.snapshot.dump(dump.number).piece).facts

    def shader(self, dump: DumpRef) -> Shader:
        """The IR of a dump. Clone it before changing it."""
        return self.documents[dump.document].shader(dump.number)

    def urb_maps(self, dump: DumpRef) -> UrbMaps:
        """The URB maps printed below a dump."""
        document = self.documents[dump.document]
        return document.urb_maps(document.snapshot.dump(dump.number))

    def _add(self, file: InputFile, *, is_open: bool) -> None:
        path = None if file.path is None else file.path.resolve()
        self.workspace.add(file.name, file.data, path, is_open=is_open)
        self._files[file.name] = file

    def _missing_partners(self) -> Iterator[InputFile]:
        folder = None if self.project is None else self.project.path.parent
        known = {document.path for document in self.workspace}
        for document in self.workspace:
            for path in partner_paths(document, self.project):
                if path in known or not self.workspace.is_partner_file(path, LARGEST_PARTNER, folder):
                    continue
                known.add(path)
                beside = document.path is not None and path.parent == document.path.parent
                name = Path(document.uri).with_name(path.name) if beside else path
                yield InputFile.read(str(name), path, path.read_bytes())
