"""`nirls tcs`: optimization of tessellation control shaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.stage import Stage
from nirls.passes.tessellation.optimize_tcs import OptimizeTcs, TcsSummary
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, FormatOption, InPlace, ShowDiff, TableFormat
from nirls.server.cli.computing import computing
from nirls.server.cli.errors import FOUND, CommandError
from nirls.server.cli.opening import opened
from nirls.server.cli.optimize import Optimizer, pass_runs
from nirls.server.cli.progress import with_progress
from nirls.server.engine.base.shown_text import printable_line
from nirls.server.engine.batch.pass_runs import BUDGET
from nirls.server.engine.batch.verified import Verified
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef


def tcs(
    files: Files,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the pass optimize_tcs."),
    ] = None,
    format_: FormatOption = TableFormat.TEXT,
    diff: ShowDiff = False,
    in_place: InPlace = False,
    config: Config = None,
) -> None:
    """Inline the vertex shader in the control shader and skip the work of culled patches.

    Prints the gain of each pipeline. Each result is compared with its input by running both; different
    results are dropped (status 1).
    """
    workspace = opened(files, config)
    if in_place:
        outputs.refuse_standard_input(workspace.file(document) for document in workspace.named())
    (chain,) = pass_runs([OptimizeTcs.name], options or [])
    assert isinstance(chain, OptimizeTcs)
    optimizer = Optimizer(workspace, verify=True)
    with computing(None, 0, BUDGET) as compute:
        optimizer.run([chain], compute)
    gains = [gain_on(dumps, chain, optimizer) for dumps in with_progress(patches(workspace), "measuring")]
    if format_ is TableFormat.JSON:
        write_json(gains)
    elif gains:
        typer.echo(text_of(gains), nl=False)
    results = optimizer.results()
    if in_place:
        outputs.write_in_place(results)
    if diff:
        outputs.write_diff(outputs.diff(results))
    if not gains:
        raise CommandError("nothing to do: there is no control shader")
    if any(gain.verified is not None and gain.verified.is_wrong for gain in gains):
        raise typer.Exit(FOUND)


@dataclass(frozen=True, slots=True)
class ChainResult:
    """The result of the chain on the dumps of one pipeline; `verified` is its verification, if any."""

    dumps: tuple[DumpRef, ...]
    summary: TcsSummary
    verified: Verified | None


def patches(workspace: LinkedFiles) -> list[tuple[DumpRef, ...]]:
    """Return the pipelines with a control shader, and the unlinked control shaders."""

    def is_control(dump: DumpRef) -> bool:
        return workspace.facts(dump).stage is Stage.TESS_CTRL

    return [group for group in workspace.groups() if any(map(is_control, group))]


def gain_on(dumps: tuple[DumpRef, ...], chain: OptimizeTcs, optimizer: Optimizer) -> ChainResult:
    """Return the gain of the chain on the dumps of a pipeline, with the verdict of the optimizer."""
    summary, _ = chain.optimize([clone_shader(optimizer.workspace.shader(dump)) for dump in dumps])
    where = ", ".join(map(str, dumps))
    return ChainResult(
        dumps, summary, next((verdict for verdict in optimizer.verdicts if verdict.where == where), None)
    )


def text_of(gains: Sequence[ChainResult]) -> str:
    """The gains for people."""
    parts = []
    for gain in gains:
        parts.append(", ".join(str(dump) for dump in gain.dumps))
        parts += [f"  {line}" for line in gain.summary.lines()]
        if gain.verified is not None:
            verified = gain.verified
            parts.append(f"  Checked: {verified.error or verified.verdict}.")
    return "".join(f"{printable_line(line)}\n" for part in parts for line in part.split("\n"))


def write_json(gains: Sequence[ChainResult]) -> None:
    """Write the gains as a list of objects."""
    plain = [
        {
            "dumps": [{"file": dump.document, "dump": dump.number + 1} for dump in gain.dumps],
            **gain.summary.as_data(),
            "checked": None if gain.verified is None else str(gain.verified.error or gain.verified.verdict),
            "wrong": gain.verified is not None and gain.verified.is_wrong,
        }
        for gain in gains
    ]
    outputs.write_json(plain)
