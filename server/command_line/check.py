"""`nirls check`: the findings of files, placed in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from nirls.ir.shader import Shader
from nirls.ir.span import Span
from nirls.passes.finding import Change, Finding, Fix, Severity
from nirls.server.checking import (
    CheckSettings,
    is_for_unlinked,
    pipeline_pass_findings,
    shader_pass_findings,
    text_findings,
)
from nirls.server.command_line.workspace import Document, Workspace
from nirls.server.document import PlacedDump
from nirls.server.pipelines import DumpRef
from nirls.server.positions import Encoding, Range

CHARACTERS = Encoding.UTF16
"""The unit in which reports count the characters of a line, as LSP does by default."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A replacement of a piece of a file."""

    file: str
    range: Range
    new_text: str


@dataclass(frozen=True, slots=True, eq=False)
class ReportedFix:
    """A fix as reports show it. Its edits are made when asked for."""

    title: str
    kind: str
    key: str
    edits: Callable[[], list[FileEdit]]


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that explains a finding."""

    file: str
    range: Range
    message: str


@dataclass(frozen=True, eq=False)
class Reported:
    """A finding with its place in a file."""

    document: Document
    dump: PlacedDump
    finding: Finding
    related: tuple[Note, ...]
    fixes: tuple[ReportedFix, ...]

    @property
    def file(self) -> str:
        return self.document.file.name

    @property
    def severity(self) -> Severity:
        return self.finding.effective_severity

    @property
    def code(self) -> str:
        return self.finding.code.code

    @property
    def message(self) -> str:
        return self.finding.message

    @cached_property
    def range(self) -> Range:
        span = self.finding.place.span
        return self.dump.range(span.start, span.end, CHARACTERS)


class Check:
    """The findings of all documents of a workspace, one document or pipeline at a time."""

    def __init__(self, workspace: Workspace, settings: CheckSettings) -> None:
        self.workspace = workspace
        self.settings = settings
        self._linked = {member.dump for pipeline in workspace.pipelines for member in pipeline.members}
        self._places: dict[int, tuple[Document, PlacedDump]] = {}

    def steps(self) -> list[Callable[[], list[Reported]]]:
        """The work in pieces, so that someone can watch it advance."""
        steps = [
            self._dump_step(document, number)
            for document in self.workspace.named()
            for number in range(len(document.dumps))
        ]
        for pipeline in self.workspace.pipelines:
            dumps = [member.dump for member in pipeline.members]
            if any(not self.workspace.documents[dump.document].is_context for dump in dumps):
                steps.append(self._pipeline_step(dumps))
        return steps

    def _dump_step(self, document: Document, number: int) -> Callable[[], list[Reported]]:
        def step() -> list[Reported]:
            shader = self._shader(document, number)
            linked = DumpRef(document.file.name, number) in self._linked
            findings = [
                *text_findings(shader, self.settings),
                *(
                    finding
                    for finding in shader_pass_findings(shader, self.settings)
                    if not linked or not is_for_unlinked(finding.pass_name)
                ),
            ]
            return list(self._reported(findings))

        return step

    def _pipeline_step(self, dumps: Sequence[DumpRef]) -> Callable[[], list[Reported]]:
        def step() -> list[Reported]:
            shaders = [self._shader(self.workspace.documents[dump.document], dump.number) for dump in dumps]
            return list(self._reported(pipeline_pass_findings(shaders, self.settings)))

        return step

    def _shader(self, document: Document, number: int) -> Shader:
        shader = document.shader(number)
        self._places[id(shader)] = (document, document.dumps[number])
        return shader

    def _reported(self, findings: Iterable[Finding]) -> Iterator[Reported]:
        for finding in findings:
            document, dump = self._places[id(finding.place.shader)]
            if document.is_context:
                continue
            notes = tuple(
                Note(*self._file_range(related.place.shader, related.place.span), related.message)
                for related in finding.related
            )
            fixes = tuple(self._fix(fix) for fix in finding.fixes)
            yield Reported(document, dump, finding, notes, fixes)

    def _file_range(self, shader: Shader, span: Span) -> tuple[str, Range]:
        document, dump = self._places[id(shader)]
        return document.file.name, dump.range(span.start, span.end, CHARACTERS)

    def _fix(self, fix: Fix) -> ReportedFix:
        return ReportedFix(fix.title, fix.kind, fix.key, lambda: self._edits(fix.compute()))

    def _edits(self, changes: Iterable[Change]) -> list[FileEdit]:
        from nirls.ir.edits import text_edits

        edits = []
        for change in changes:
            document, dump = self._places[id(change.before)]
            for edit in text_edits(change.before, change.after):
                place = dump.range(edit.start, edit.end, CHARACTERS)
                edits.append(FileEdit(document.file.name, place, edit.new_text))
        return edits


def in_order(reported: Iterable[Reported]) -> list[Reported]:
    """Sorted by file, place and severity; files in the order in which they were named."""
    found = list(reported)
    files = {name: index for index, name in enumerate(dict.fromkeys(one.file for one in found))}
    return sorted(found, key=lambda one: (files[one.file], one.range.start, one.severity.rank, one.code))
