"""`nirls report`: a log as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Log, ShaderOption
from nirls.server.cli.commands import timeline as timelines
from nirls.server.cli.opening import file_with_dumps, project_for
from nirls.server.cli.progress import progressing, reading
from nirls.server.engine.batch.run import on_this_machine, results_of
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import Check
from nirls.server.engine.timeline.timeline import ShaderTimeline
from nirls.server.ide.report.contents import (
    PassDiff,
    Report,
    ReportedFinding,
    ReportedPass,
    ReportedShader,
    VaryingTable,
    varying_table,
)
from nirls.server.ide.report.diffs import DIFFS, diff_units
from nirls.server.ide.report.page import page


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
    document, settings = _opened(log, config)
    shaders = timelines.chosen(list(timelines.timelines_of(document.snapshot)), shader)
    made = report_of(document.uri, document.snapshot, shaders, settings, diffs=not no_diffs)
    outputs.write_to(output, page(made))


def _opened(log: str, config: Path | None) -> tuple[Document, CheckSettings]:
    """Open the log; its text itself is not kept, beside the pieces of the document.

    The settings are for the driver that the text between the dumps may name.
    """
    file = file_with_dumps(log)
    with reading():
        (document,) = LinkedFiles([file]).named()
    return document, CheckSettings.of_project(project_for([file], config)).for_document(document)


def report_of(
    name: str,
    snapshot: Snapshot,
    shaders: Sequence[ShaderTimeline],
    settings: CheckSettings,
    *,
    diffs: bool = True,
) -> Report:
    """The report on a log; without `diffs` only what the passes did in numbers.

    The findings are those of the last snapshots alone.
    """
    dumps = snapshot.dumps()
    last = _LastSnapshots.of(name, dumps, shaders)
    found = _diffs_of_steps(shaders, dumps) if diffs else {}
    return Report(
        name,
        tuple(
            ReportedShader(
                shader,
                tuple(ReportedPass(step, found.get((step.previous, step.dump))) for step in shader.steps),
            )
            for shader in shaders
        ),
        tuple(last.findings(settings)),
        tuple(last.varyings()),
    )


def _diffs_of_steps(
    shaders: Sequence[ShaderTimeline], dumps: Sequence[PlacedDump]
) -> Mapping[tuple[int | None, int | None], PassDiff]:
    """Return the diff of each pass that changed something, by the numbers of its two snapshots."""
    numbers = [pair for shader in shaders for pair, step in shader.pairs().items() if step.change.is_visible]
    pairs = [(dumps[before].piece.text, dumps[after].piece.text) for before, after in numbers]
    units = list(diff_units(pairs))
    done = results_of(DIFFS, units, None, on_this_machine)
    found: dict[tuple[int | None, int | None], PassDiff] = {}
    for number, diffs in progressing(done, len(units), "comparing"):
        places = units[number].numbers
        found.update(zip(numbers[places.start : places.stop], diffs, strict=True))
    return found


@dataclass(frozen=True, slots=True)
class _LastSnapshots:
    """The last snapshot of each shader, in a separate document, so that only these are linked."""

    shaders: Sequence[ShaderTimeline]
    dumps: Sequence[PlacedDump]
    workspace: LinkedFiles

    @classmethod
    def of(cls, name: str, dumps: Sequence[PlacedDump], shaders: Sequence[ShaderTimeline]) -> _LastSnapshots:
        last = [dumps[shader.last_dump] for shader in shaders]
        text = b"".join(dump.piece.text.rstrip(b"\n") + b"\n" for dump in last)
        return cls(shaders, last, LinkedFiles([InputFile(name, None, text)]))

    def findings(self, settings: CheckSettings) -> Iterator[ReportedFinding]:
        """The findings of `nirls check`, placed in the log."""
        work = Check.of(self.workspace, settings)
        done = results_of(CHECK, work.units, None, on_this_machine)
        (document,) = self.workspace.named()
        for finding in work.findings(dict(progressing(done, len(work.units), "checking"))):
            line = finding.range.start.line
            place = max(dump.number for dump in document.snapshot.dumps() if dump.first_line <= line)
            moved = line - document.snapshot.first_line(place) + self.dumps[place].first_line
            yield ReportedFinding(
                finding.finding.severity.value,
                finding.finding.code,
                finding.finding.message,
                self.shaders[place].title,
                moved + 1,
                finding.excerpt.line.strip(),
            )

    def varyings(self) -> Iterator[VaryingTable]:
        """The slots between each two linked stages."""
        for pipeline in self.workspace.pipelines:
            shaders = [self.workspace.shader(member.dump) for member in pipeline.members]
            for producer, consumer in pairwise(shaders):
                yield varying_table(producer, consumer)
