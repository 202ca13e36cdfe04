"""`nirls report`: a log as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Log, ShaderOption
from nirls.server.cli.commands import timeline as timelines
from nirls.server.cli.opening import file_with_dumps, project_for
from nirls.server.cli.progress import progressing, with_progress
from nirls.server.engine.batch.run import available_cores, on_this_machine, results_of
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.document import PlacedDump, Snapshot
from nirls.server.engine.input_files import InputFile
from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.located_findings import Check
from nirls.server.engine.timeline.timeline import ShaderTimeline, Step
from nirls.server.ide.report.contents import (
    PassDiff,
    Report,
    ReportedFinding,
    ReportedPass,
    ReportedShader,
    VaryingTable,
    pass_diff,
    varying_table,
)
from nirls.server.ide.report.page import page
from nirls.server.ide.snapshot_diff import snapshot_texts


def report(
    log: Log,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")],
    shader: ShaderOption = None,
    no_diffs: Annotated[
        bool, typer.Option("--no-diffs", help="Omit the diff of each pass, for a smaller file.")
    ] = False,
    config: Config = None,
) -> None:
    """Write an HTML report of a log: passes with diffs, findings, varyings.

    The file has no external resources and no scripts.
    """
    file = file_with_dumps(log)
    snapshot, found = timelines.read_timeline(file)
    # The text between the dumps may name the driver; the findings are those of the last snapshots alone.
    (document,) = LinkedFiles([file]).named()
    settings = CheckSettings.of_project(project_for([file], config)).for_document(document)
    made = report_of(file, snapshot, timelines.chosen(found, shader), settings, diffs=not no_diffs)
    outputs.write_file(output, page(made).encode())


def report_of(
    file: InputFile,
    snapshot: Snapshot,
    shaders: Sequence[ShaderTimeline],
    settings: CheckSettings,
    *,
    diffs: bool = True,
) -> Report:
    """The report on a log; without `diffs` only what the passes did in numbers."""
    dumps = snapshot.dumps()
    last = _LastSnapshots.of(file, dumps, shaders)
    return Report(
        file.name,
        tuple(_with_diffs(shader, dumps, diffs=diffs) for shader in shaders),
        tuple(last.findings(settings)),
        tuple(last.varyings()),
    )


def _with_diffs(shader: ShaderTimeline, dumps: Sequence[PlacedDump], *, diffs: bool) -> ReportedShader:
    read = _LastRead(dumps)
    steps = with_progress(shader.steps, f"comparing {shader.stage}") if diffs else shader.steps
    return ReportedShader(
        shader, tuple(ReportedPass(step, read.diff_of(step) if diffs else None) for step in steps)
    )


class _LastRead:
    """Parses the dumps of one shader, and keeps the last one: it is compared with the next, too."""

    def __init__(self, dumps: Sequence[PlacedDump]) -> None:
        self._dumps = dumps
        self._last: tuple[int, Shader] | None = None

    def diff_of(self, step: Step) -> PassDiff | None:
        """The changes of a pass; None if it changed nothing or has no earlier snapshot."""
        if not step.change.is_visible or step.previous is None or step.dump is None:
            return None
        before, after = self._read(step.previous), self._read(step.dump)
        self._last = (step.dump, after)
        return pass_diff(snapshot_texts(before, after))

    def _read(self, number: int) -> Shader:
        if self._last is not None and self._last[0] == number:
            return self._last[1]
        return parse_dump(self._dumps[number].piece.text)


@dataclass(frozen=True, slots=True)
class _LastSnapshots:
    """The last snapshot of each shader, in a separate document, so that only these are linked."""

    shaders: Sequence[ShaderTimeline]
    dumps: Sequence[PlacedDump]
    workspace: LinkedFiles

    @classmethod
    def of(
        cls, file: InputFile, dumps: Sequence[PlacedDump], shaders: Sequence[ShaderTimeline]
    ) -> _LastSnapshots:
        numbers = [max(step.dump for step in shader.steps if step.dump is not None) for shader in shaders]
        last = [dumps[number] for number in numbers]
        text = b"".join(dump.piece.text.rstrip(b"\n") + b"\n" for dump in last)
        return cls(shaders, last, LinkedFiles([InputFile(file.name, None, text)]))

    def findings(self, settings: CheckSettings) -> Iterator[ReportedFinding]:
        """The findings of `nirls check`, placed in the log."""
        work = Check.of(self.workspace, settings)
        done = results_of(CHECK, work.units, None, partial(on_this_machine, jobs=available_cores()))
        (document,) = self.workspace.named()
        for found in work.findings(dict(progressing(done, len(work.units), "checking"))):
            line = found.range.start.line
            place = max(dump.number for dump in document.snapshot.dumps() if dump.first_line <= line)
            moved = line - document.snapshot.first_line(place) + self.dumps[place].first_line
            yield ReportedFinding(
                found.finding.severity.value,
                found.finding.code,
                found.finding.message,
                self.shaders[place].title,
                moved + 1,
                found.excerpt.line.strip(),
            )

    def varyings(self) -> Iterator[VaryingTable]:
        """The slots between each two linked stages."""
        for pipeline in self.workspace.pipelines:
            shaders = [self.workspace.shader(member.dump) for member in pipeline.members]
            for producer, consumer in pairwise(shaders):
                yield varying_table(producer, consumer)
