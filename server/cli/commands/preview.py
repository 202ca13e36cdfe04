"""`nirls preview`: the sizes of dumps before and after passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from nirls.server.cli import outputs
from nirls.server.cli.arguments import (
    Config,
    Files,
    FormatOption,
    PassOptions,
    ShowDiff,
    TableFormat,
    complete_passes,
)
from nirls.server.cli.computing import computing
from nirls.server.cli.opening import opened
from nirls.server.cli.optimize import Optimizer, pass_runs
from nirls.server.cli.tables import count_text, table_console
from nirls.server.engine.base.shown_text import printable, printable_line
from nirls.server.engine.batch.pass_runs import BUDGET
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef
from nirls.server.engine.timeline.dump_digest import COUNT_NAMES, DumpCounts, DumpDigest
from nirls.server.ide.preview import WHAT_IF


def preview(
    files: Files,
    passes: Annotated[
        list[str] | None,
        typer.Option(
            "--pass",
            "-p",
            metavar="PASS[,PASS]",
            help="The passes; opt_varyings and clean_up by default.",
            autocompletion=complete_passes,
        ),
    ] = None,
    options: PassOptions = None,
    diff: ShowDiff = False,
    format_: FormatOption = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show the size of each dump before and after passes. No file is changed.

    Without -p, the passes that link the stages are run.
    """
    runs = pass_runs(passes or WHAT_IF, options or [])
    workspace = opened(files, config, partners=True)
    optimizer = Optimizer(workspace)
    with computing(None, 0, BUDGET) as compute:
        optimizer.run(runs, compute)
    size_comparisons = effects(workspace, optimizer)
    if format_ is TableFormat.JSON:
        outputs.write_json([asdict(size_comparison) for size_comparison in size_comparisons])
    else:
        show_table(size_comparisons)
    if diff:
        outputs.write_diff(outputs.diff(optimizer.results()))


@dataclass(frozen=True, slots=True)
class SizeComparison:
    """The size of a dump before and after passes, as in JSON. `dump` counts the dumps of the file from 1."""

    file: str
    dump: int
    stage: str
    pipeline: str | None
    before: DumpCounts
    after: DumpCounts


def effects(workspace: LinkedFiles, optimizer: Optimizer) -> list[SizeComparison]:
    """The sizes of all dumps of the files that were named, after the optimizer has run."""
    names = {dump: pipeline.name for pipeline in workspace.pipelines for dump in pipeline.dumps}
    found = []
    for document in workspace.named():
        after = Snapshot.of(optimizer.new_text(document)).dumps()
        for dump, new in zip(document.snapshot.dumps(), after, strict=True):
            digest = DumpDigest(dump.piece.text)
            pipeline = names.get(DumpRef(document.uri, dump.number))
            stage = digest.identity.stage
            counts = digest.counts, DumpDigest(new.piece.text).counts
            found.append(SizeComparison(document.uri, dump.number + 1, stage, pipeline, *counts))
    return found


def show_table(found: Sequence[SizeComparison]) -> None:
    """Write a row for each dump."""
    console = table_console()
    table = Table(box=None, pad_edge=False)
    for name in ("dump", "stage", "pipeline"):
        table.add_column(name, overflow="fold")
    for name in COUNT_NAMES:
        table.add_column(name, justify="right")
    for size_comparison in found:
        table.add_row(
            Text(printable_line(f"{size_comparison.file}#{size_comparison.dump}")),
            Text(printable(size_comparison.stage)),
            Text(printable(size_comparison.pipeline or "")),
            *(count_text(size_comparison.before, size_comparison.after, name) for name in COUNT_NAMES),
        )
    console.print(table)
