"""`make corpus`: how much of the corpus of real shaders is read, printed, checked and optimized as Mesa does.

Counts of: dumps printed byte for byte with their source at hand, and anew from the IR alone; dumps without
validation errors; values whose `con` or `div` is what Mesa printed; Mesa's unit tests of dead varyings with
the same outcome. The folder is ../shared/corpus, or $NIRLS_SHARED/corpus.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from nirls.ir.analysis.divergence import agreement
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.text.printing.print_shader import print_shader
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.varying_cases import differences, lost_accesses, read_case

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
SUFFIXES = frozenset({".nir", ".txt", ".log"})

ROWS = {
    "kept": "printed byte for byte, source at hand",
    "fresh": "printed byte for byte, from the IR alone",
    "read": "dumps without an unreadable line",
    "valid": "dumps without a validation error",
    "known": "dumps without a validation warning",
    "subgroup": "values: divergence in a subgroup",
    "vertex": "values: divergence across vertices",
    "dead": "cases of dead varyings end as in Mesa",
    "safe": "cases: nothing removed that Mesa keeps",
}
MUST_BE_WHOLE = ("kept", "read", "valid", "dead", "safe")


@dataclass
class Counts:
    """For each row how many there are and how many of them are right, and which are not."""

    total: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def add(self, row: str, is_right: bool, where: str) -> None:
        self.add_many(row, 1, int(is_right), where)

    def add_many(self, row: str, total: int, right: int, where: str) -> None:
        self.total[row] += total
        self.right[row] += right
        if right < total:
            self.wrong.setdefault(row, []).append(where)

    def merge(self, other: Counts) -> None:
        self.total += other.total
        self.right += other.right
        for row, places in other.wrong.items():
            self.wrong.setdefault(row, []).extend(places)


def main() -> int:
    """Count, print, and return 1 if something is not whole that must be."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--wrong", type=int, default=5, help="how many places of each kind to list")
    arguments.add_argument("folder", nargs="?", type=Path, default=SHARED / "corpus")
    options = arguments.parse_args()
    console = Console()
    if not options.folder.is_dir():
        console.print(f"There is no corpus at {options.folder}: nothing to count.")
        return 0
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix in SUFFIXES)
    # Large files first, so that no worker is left alone with one at the end.
    paths.sort(key=lambda path: -path.stat().st_size)
    started = time.perf_counter()
    counts = Counts()
    with ProcessPoolExecutor() as pool:
        work = pool.map(count_file, paths, chunksize=4)
        for one in track(work, "counting", total=len(paths), console=console, transient=True):
            counts.merge(one)
    console.print(_table(counts, options.folder))
    for row, places in counts.wrong.items():
        for place in places[: options.wrong]:
            console.print(f"{row}: {os.path.relpath(place, options.folder)}", highlight=False)
        if len(places) > options.wrong:
            console.print(f"{row}: and {len(places) - options.wrong} more", highlight=False)
    console.print(f"{len(paths)} files in {time.perf_counter() - started:.0f} s", highlight=False)
    return int(any(counts.right[row] < counts.total[row] for row in MUST_BE_WHOLE))


def count_file(path: Path) -> Counts:
    """Everything about one file."""
    counts = Counts()
    data = path.read_bytes()
    for number, (text, shader) in enumerate(_shaders(data), 1):
        where = f"{path}#{number}"
        counts.add("read", not shader.unreadable, where)
        counts.add("kept", print_shader(shader) == text, where)
        # What stands before the first and behind the last line of a dump is not the printer's.
        counts.add("fresh", fresh(shader).strip() == text.strip(), where)
        severities = {problem.severity for problem in validate(shader)}
        counts.add("valid", "error" not in severities, where)
        counts.add("known", not severities, where)
        _count_divergence(counts, path, shader)
    if path.parent.name == "varyings":
        case = read_case(data)
        ours = [clone_shader(shader) for shader in case.before]
        OptVaryingsDeadIo().run(ours)
        if path.name.startswith("dead_"):
            counts.add("dead", not differences(case, ours), str(path))
        counts.add("safe", not lost_accesses(case, ours), str(path))
    return counts


def _shaders(data: bytes) -> Iterator[tuple[bytes, Shader]]:
    for dump in split_dumps(data):
        text = data[dump.start : dump.end]
        yield text, parse_dump(text)


def _count_divergence(counts: Counts, path: Path, shader: Shader) -> None:
    kind = path.name.split(".")[-2] if path.name.count(".") >= 2 else ""
    if kind not in ("div", "vdiv"):
        return
    found = agreement(shader, vertex=kind == "vdiv")
    row = "vertex" if kind == "vdiv" else "subgroup"
    counts.add_many(row, found.values + found.flags, found.values_equal + found.flags_equal, str(path))


def _table(counts: Counts, folder: Path) -> Table:
    table = Table(title=str(folder))
    for title in ("what", "right", "of", ""):
        table.add_column(title, justify="left" if title == "what" else "right")
    for row, title in ROWS.items():
        right, total = counts.right[row], counts.total[row]
        share = f"{100 * right / total:.2f} %" if total else ""
        table.add_row(title, f"{right:,}", f"{total:,}", share, style="green" if right == total else "yellow")
    return table


if __name__ == "__main__":
    sys.exit(main())
