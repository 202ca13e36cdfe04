"""`nirls check`: the findings of files, placed in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from nirls.ir.shader import Shader
from nirls.ir.span import Span
from nirls.passes.finding import Change, Finding, Fix
from nirls.server.checking import (
    CheckSettings,
    is_for_unlinked,
    pipeline_pass_findings,
    shader_pass_findings,
    text_findings,
)
from nirls.server.command_line.reported import CHARACTERS, Excerpt, FileEdit, Note, Reported, ReportedFix
from nirls.server.command_line.workspace import Document, Workspace
from nirls.server.document import PlacedDump
from nirls.server.pipelines import DumpRef
from nirls.server.positions import Encoding, Range


class Check:
    """The findings of all documents of a workspace, one dump or pipeline at a time.

    Fixes of the kinds in `edits_of` come with what they change.
    """

    def __init__(
        self, workspace: Workspace, settings: CheckSettings, *, edits_of: Collection[str] = ()
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self.edits_of = edits_of
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
            span = finding.place.span
            yield Reported(
                document.file.name,
                dump.range(span.start, span.end, CHARACTERS),
                _excerpt(dump, span),
                finding.code,
                finding.effective_severity,
                finding.message,
                finding.pass_name,
                notes,
                fixes,
                finding.data,
            )

    def _file_range(self, shader: Shader, span: Span) -> tuple[str, Range]:
        document, dump = self._places[id(shader)]
        return document.file.name, dump.range(span.start, span.end, CHARACTERS)

    def _fix(self, fix: Fix) -> ReportedFix:
        edits = tuple(self._edits(fix.compute())) if fix.kind in self.edits_of else None
        return ReportedFix(fix.title, fix.kind, fix.key, edits)

    def _edits(self, changes: Iterable[Change]) -> list[FileEdit]:
        from nirls.ir.edits import text_edits

        edits = []
        for change in changes:
            document, dump = self._places[id(change.before)]
            for edit in text_edits(change.before, change.after):
                place = dump.range(edit.start, edit.end, CHARACTERS)
                edits.append(FileEdit(document.file.name, place, edit.new_text))
        return edits


def _excerpt(dump: PlacedDump, span: Span) -> Excerpt:
    lines = dump.piece.lines
    start = lines.position(span.start, Encoding.UTF32)
    end = lines.position(span.end, Encoding.UTF32)
    text = lines.text[lines.starts[start.line] : lines.line_end(start.line)].decode("utf-8", "replace")
    return Excerpt(text, start.character, end.character if end.line == start.line else len(text))
