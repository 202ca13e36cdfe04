"""`nirls tcs`: optimization of tessellation control shaders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.stage import Stage
from nirls.passes.tessellation.optimize_tcs import OptimizeTcs, TcsSummary
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, FormatOption, InPlace, ShowDiff, TableFormat
from nirls.server.cli.errors import FOUND
from nirls.server.cli.opening import opened
from nirls.server.cli.optimize import Optimizer, pass_runs
from nirls.server.cli.progress import with_progress
from nirls.server.cli.verification import Verified
from nirls.server.engine.dump_facts import dump_facts
from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.pipelines import DumpRef
from nirls.server.engine.printable_text import printable_line


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
    chain = Chain(workspace, options or [])
    for step in with_progress(chain.steps(), "optimizing"):
        step()
    if format_ is TableFormat.JSON:
        write_json(chain.gains)
    else:
        typer.echo(text_of(chain.gains), nl=False)
    results = chain.optimizer.results()
    if in_place:
        outputs.write_in_place(results)
    if diff:
        outputs.write_diff(outputs.diff(results))
    if any(gain.verified is not None and gain.verified.is_wrong for gain in chain.gains):
        raise typer.Exit(FOUND)


@dataclass(frozen=True, slots=True)
class Gain:
    """The result of the chain on the dumps of one pipeline; `verified` is its verification, if any."""

    dumps: tuple[DumpRef, ...]
    summary: TcsSummary
    verified: Verified | None


@dataclass(eq=False)
class Chain:
    """Runs the chain on the pipelines with a control shader, and on unlinked control shaders.

    `optimizer` has the new texts of the files, without wrong results.
    """

    workspace: LinkedFiles
    options: Sequence[str]
    gains: list[Gain] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.optimizer = Optimizer(self.workspace, verify=True)

    def steps(self) -> list[Callable[[], None]]:
        """The work in pieces. Raises CommandError for options that there are not."""
        (chain,) = pass_runs([OptimizeTcs.name], self.options)
        assert isinstance(chain, OptimizeTcs)
        return [
            *self.optimizer.steps([chain]),
            *(self._summing_up(chain, dumps) for dumps in self._patches()),
        ]

    def _patches(self) -> list[tuple[DumpRef, ...]]:
        units = [pipeline.dumps for pipeline in self.workspace.pipelines]
        units += [(dump,) for dump in self.workspace.unlinked()]
        return [unit for unit in units if any(self._is_control(dump) for dump in unit)]

    def _is_control(self, dump: DumpRef) -> bool:
        return dump_facts(self.workspace.text(dump)).stage is Stage.TESS_CTRL

    def _summing_up(self, chain: OptimizeTcs, dumps: tuple[DumpRef, ...]) -> Callable[[], None]:
        def step() -> None:
            self.gains.append(Gain(dumps, self._summary(dumps, chain), self._verdict(dumps)))

        return step

    def _summary(self, dumps: tuple[DumpRef, ...], chain: OptimizeTcs) -> TcsSummary:
        summary, _ = chain.optimize([clone_shader(self.workspace.shader(dump)) for dump in dumps])
        return summary

    def _verdict(self, dumps: tuple[DumpRef, ...]) -> Verified | None:
        where = ", ".join(str(dump) for dump in dumps)
        return next((found for found in self.optimizer.verdicts if found.where == where), None)


def text_of(gains: Sequence[Gain]) -> str:
    """The gains for people."""
    if not gains:
        return "There is no control shader.\n"
    parts = []
    for gain in gains:
        parts.append(", ".join(str(dump) for dump in gain.dumps))
        parts += [f"  {line}" for line in gain.summary.lines()]
        if gain.verified is not None:
            found = gain.verified
            parts.append(f"  Checked: {found.error or found.verdict}.")
    return "".join(f"{printable_line(line)}\n" for part in parts for line in part.split("\n"))


def write_json(gains: Sequence[Gain]) -> None:
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
