"""`make corpus` and `make mutants`: counts over a corpus of real shaders.

How much of it is read, printed, checked, optimized and run as Mesa does, and whether verification
finds pass results that were broken on purpose. The folder is `$NIRLS_SHARED/corpus` or `../shared/corpus`;
without these, the corpus inside the repository. Exit status 1 if a case is wrong, or if a count has no case.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tools.corpus import (
    accepted,
    bugs,
    drivers,
    evaluator,
    logs,
    mesa_passes,
    mutants,
    text,
    transitions,
    validation,
    varyings,
)
from tools.corpus.archive import corpus_folder
from tools.corpus.tally import CaseTally, Task

COUNTS: Mapping[str, Callable[[Path], Iterable[Task]]] = {
    "accepted": accepted.tasks,
    "bugs": bugs.tasks,
    "text": text.tasks,
    "transitions": transitions.tasks,
    "passes": mesa_passes.tasks,
    "drivers": drivers.tasks,
    "evaluator": evaluator.tasks,
    "varyings": varyings.tasks,
    "validation": validation.tasks,
    "mutants": mutants.tasks,
    "logs": logs.tasks,
}


def main() -> int:
    """Count, print, and return the exit status."""
    arguments = argparse.ArgumentParser(prog="python -m tools.corpus", description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, help="a corpus folder")
    arguments.add_argument("--only", nargs="+", choices=tuple(COUNTS), default=tuple(COUNTS))
    arguments.add_argument("--every", type=int, default=1, help="take only every so many pieces of work")
    arguments.add_argument("--notes", type=int, default=5, help="how many notes of each row to print")
    options = arguments.parse_args()
    console = Console(width=140)
    folder = options.folder or corpus_folder()
    started = time.perf_counter()
    tallies = count(folder, options.only, options.every, console)
    for name, tally in tallies.items():
        tally.print(console, f"{name}: {folder}", most=options.notes)
    empty = [name for name, tally in tallies.items() if not tally.rows]
    for name in empty:
        console.print(f"{name}: there is nothing to count in {folder}", style="red", highlight=False)
    console.print(f"{time.perf_counter() - started:.0f} s", highlight=False)
    return int(bool(empty) or not all(tally.is_right for tally in tallies.values()))


def count(folder: Path, names: Iterable[str], every: int, console: Console) -> dict[str, CaseTally]:
    """The tallies of some counts; all of their work shares one pool of processes."""
    tallies = {name: CaseTally() for name in names}
    with ProcessPoolExecutor() as pool:
        running = {
            pool.submit(task): name for name in tallies for task in list(COUNTS[name](folder))[::every]
        }
        for done in track(
            as_completed(running), "counting", total=len(running), console=console, transient=True
        ):
            tallies[running[done]].merge(done.result())
    return tallies


if __name__ == "__main__":
    sys.exit(main())
