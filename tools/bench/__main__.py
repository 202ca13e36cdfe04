"""`make bench`: time and memory of every step, on dumps and logs of growing size.

In the process: the steps on a linked pair whose stages have 100, 1,000 and 10,000 instructions. Over LSP:
`nirls serve` with such a pair, and with logs of 1,000, 10,000 and 100,000 lines; and MLIR's language server
with files of as many lines, if it is installed. Each figure is the median of several runs. The last columns
say how it grows, what DESIGN asks for, and how it was when the figures were last kept (`--keep`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from tools.bench.checking import MOST_UNITS, RATE, checking_figures
from tools.bench.figures import Group, Row, group_of, plain, table
from tools.bench.mlir_session import find_server, mlir_figures
from tools.bench.nirls_session import DUMP_IN_LOG, TARGETS, log_figures, pair_figures
from tools.bench.session import median_of
from tools.bench.steps import step_times
from tools.bench.summary import PAGE, with_summary
from tools.bench.timing import unit
from tools.bench.varyings import SIZES, TARGET, TOTAL, varying_step_times
from tools.bench.verification import (
    CHANGED,
    MOST,
    MOST_PIPELINES,
    verification_figures,
    verified_linking,
)
from tools.bench.waits import waits
from tools.corpus.archive import corpus_folder
from tools.synthetic import vertex_dump

DUMP_SIZES = (100, 1_000, 10_000)
LOG_SIZES = (1_000, 10_000, 100_000)
WAIT_SIZES = (15_000, 30_000)
WAIT_SIZES_QUICK = (500, 1_000)
WAIT_TARGET = "100"
REQUEST_TARGETS = {"first hover, ms": "1000", "hover, ms": "300"}
KEPT = Path(__file__).with_name("kept.json")
_COMPARED = (
    "startup to initialize answer, ms",
    "open to first diagnostics, ms",
    "start and open to diagnostics, ms",
    "keystroke to diagnostics, ms",
    "hover, ms",
    "peak memory, MB",
)


def main() -> int:
    """Measure and print."""
    options = _options()
    runs = 1 if options.quick else options.runs
    sessions = max(1, runs // 2)
    dump_sizes = DUMP_SIZES[:2] if options.quick else DUMP_SIZES
    log_sizes = LOG_SIZES[:2] if options.quick else LOG_SIZES
    console = Console()
    last: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    speed = unit()
    groups: list[Group] = []

    def show(group: Group) -> None:
        groups.append(group)
        console.print(table(group, speed, last))

    steps = [step_times(size, runs) for size in dump_sizes]
    show(group_of("steps", "One pair of stages, ms by instructions in each stage", dump_sizes, steps, {}))
    linking = [varying_step_times(size, runs) for size in SIZES]
    title = "opt_varyings, ms by instructions in each of two stages"
    show(group_of("linking", title, SIZES, linking, {TOTAL: f"{TARGET} at {SIZES[0]}"}))
    found = verification_figures(corpus_folder(), runs, 8 if options.quick else MOST)
    title = "nirls verify, transitions a second of CPU time by lines of the log"
    show(group_of("verification", title, *found, {CHANGED: "20 at 200 instructions"}))
    number, figures = verified_linking(corpus_folder(), 4 if options.quick else MOST_PIPELINES)
    title = "Cost of --verify by the number of pipelines"
    show(group_of("verified linking", title, (number,), [figures], {}))
    number, figures = checking_figures(corpus_folder(), 24 if options.quick else MOST_UNITS)
    title = "nirls check by the number of pipelines: a second of CPU time, and shares of the time"
    show(group_of("checking", title, (number,), [figures], {RATE: "25"}))
    pairs = [median_of([pair_figures(size, runs) for _ in range(sessions)]) for size in dump_sizes]
    show(group_of("pairs", "nirls serve, by instructions in each of two stages", dump_sizes, pairs, {}))
    logs = [median_of([log_figures(size, runs) for _ in range(sessions)]) for size in log_sizes]
    title = f"nirls serve, by lines of the log (dumps of {DUMP_IN_LOG} instructions)"
    of_logs = group_of("logs", title, log_sizes, logs, TARGETS)
    show(of_logs)
    sizes = WAIT_SIZES_QUICK if options.quick else WAIT_SIZES
    measured = [waits(vertex_dump(size)) for size in sizes]
    took = [{f"{name}, ms": one.took for name, one in found.items()} for found in measured]
    show(group_of("requests", "nirls serve, by instructions in one block", sizes, took, REQUEST_TARGETS))
    behind = [{f"{name}, ms": one.processor for name, one in found.items()} for found in measured]
    title = "Longest wait of a hover elsewhere behind each request, CPU time"
    show(group_of("waits", title, sizes, behind, dict.fromkeys(behind[0], WAIT_TARGET)))
    server = find_server(options.mlir)
    if server is None:
        console.print("MLIR's language server is not on the PATH: nothing to compare with")
    else:
        mlir = [median_of([mlir_figures(server, size, runs) for _ in range(sessions)]) for size in log_sizes]
        of_mlir = group_of("mlir", f"{Path(server).name}, by lines of the file", log_sizes, mlir, {})
        show(of_mlir)
        show(_ratios(of_logs, of_mlir))
    speed = (speed + unit()) / 2
    figures = plain(groups, speed)
    for path in (options.json, KEPT if options.keep else None):
        if path is not None:
            path.write_text(json.dumps(figures, indent=2) + "\n")
    if options.keep:
        PAGE.write_text(with_summary(PAGE.read_text(), figures))
    return 0


def _ratios(nirls: Group, mlir: Group) -> Group:
    """nirls' time by that of the other; below 1 nirls is ahead."""

    def figures(group: Group, what: str) -> Sequence[float]:
        return next(row.figures for row in group.rows if row.what == what)

    rows = tuple(
        Row(
            what.rpartition(",")[0],
            tuple(a / b for a, b in zip(figures(nirls, what), figures(mlir, what), strict=True)),
            "1" if what.startswith(("keystroke", "open")) else "",
        )
        for what in _COMPARED
    )
    return Group("ratios", "nirls by MLIR's server: below 1, nirls is ahead", nirls.sizes, rows)


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=5, help="runs of each figure")
    arguments.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments.add_argument("--quick", action="store_true", help="small sizes only, one run")
    arguments.add_argument("--mlir", metavar="SERVER", help="the mlir-lsp-server to compare with")
    arguments.add_argument("--keep", action="store_true", help="keep the figures to compare the next with")
    return arguments.parse_args()


if __name__ == "__main__":
    sys.exit(main())
