"""Counts over logs of real drivers: dumps read, errors, shaders emptied, results unchecked, divergence.

The logs are `drivers/logs.tar.xz` of the corpus folder, or the files and folders named. One row a driver: the
name of a log up to the first `_` or `.`. A dump that is printed several times counts once. `not run` counts
the shaders that the evaluator cannot run, found by a comparison with an unchanged copy.
"""

from __future__ import annotations

import argparse
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nirls.ir.analysis.divergence import agreement
from nirls.ir.finding import Severity
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.print_shader import print_shader
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.translation_validation import Different, Unchecked, ValidationOptions, validate_pass
from nirls.server.engine.document import Snapshot
from tools.corpus import SHARED

CLEAN_UP = ("opt_dce", "opt_cse", "copy_prop", "opt_constant_folding", "opt_dead_cf")
_SECONDS = 2.0


@dataclass
class Counts:
    """What was counted in some logs, with places of what is wrong: (kind, `log#dump: what`)."""

    numbers: Counter[str] = field(default_factory=Counter)
    places: list[tuple[str, str]] = field(default_factory=list)

    def note(self, kind: str, place: str, number: int = 1) -> None:
        self.numbers[kind] += number
        self.places.append((kind, place))

    def merge(self, other: Counts) -> None:
        self.numbers += other.numbers
        self.places += other.places


def read_logs(paths: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """The logs of folders, archives and single files: name and content."""
    for path in paths:
        if path.is_dir():
            yield from ((file.name, file.read_bytes()) for file in sorted(path.rglob("*.log")))
        elif path.suffix == ".xz":
            with tarfile.open(path) as archive:
                for member in archive:
                    content = archive.extractfile(member) if member.isfile() else None
                    if content is not None:
                        yield Path(member.name).name, content.read()
        elif path.is_file():
            yield path.name, path.read_bytes()


def count_log(log: tuple[str, bytes], every: int = 0) -> Counts:
    """Everything about one log. Passes are validated on every `every`th dump, on none for 0."""
    name, data = log
    counts = Counts()
    texts = [dump.piece.text for dump in Snapshot.of(data).dumps()]
    counts.numbers["dumps"] = len(texts)
    if not texts:
        counts.note("empty log", name)
    for number, text in enumerate(texts, 1):
        if text in texts[: number - 1]:
            continue
        place = f"{name}#{number}"
        shader = parse_dump(text)
        _count_text(shader, text, place, counts)
        _count_emptied(shader, place, counts)
        _count_divergence(shader, place, counts)
        if every and number % every == 0:
            _count_unchecked(shader, place, counts)
    return counts


def _count_text(shader: Shader, text: bytes, place: str, counts: Counts) -> None:
    counts.numbers["different dumps"] += 1
    if print_shader(shader) != text:
        counts.note("not kept", place)
    for problem in validate(shader):
        if problem.severity is Severity.ERROR:
            line = shader.source.count(b"\n", 0, problem.place.start) + 1
            counts.note("errors", f"{place}:{line}: {problem.code}: {problem.message}")


def _count_emptied(shader: Shader, place: str, counts: Counts) -> None:
    declared = registry.find("opt_dead_cf")
    result = clone_shader(shader)
    if declared is None or not declared().run([result]):
        return
    if _effects(shader) and not _effects(result):
        counts.note("emptied", place)


def _effects(shader: Shader) -> int:
    """How many intrinsics have no result, which a shader that does anything needs."""
    return sum(
        isinstance(instr, IntrinsicInstr) and instr.def_ is None
        for impl in shader.impls()
        for instr in impl.instrs()
    )


def _count_divergence(shader: Shader, place: str, counts: Counts) -> None:
    found = agreement(shader)
    counts.numbers["values"] += found.values
    for value in found.differing_values:
        instr = value.instr
        line = "" if instr is None or instr.span is None else shader.source[instr.span.start : instr.span.end]
        counts.note("divergence", f"{place}: {line!r}")
    counts.numbers["flags"] += found.flags
    counts.numbers["flag differences"] += len(found.differing_flags)


def _count_unchecked(shader: Shader, place: str, counts: Counts) -> None:
    counts.numbers["run"] += 1
    options = ValidationOptions(runs=1, most_runs=1, time_budget=_SECONDS)
    verdict = validate_pass(shader, clone_shader(shader), options)
    if isinstance(verdict, Unchecked):
        counts.note("not run", f"{place}: {verdict.reason}")
    for name in CLEAN_UP:
        declared = registry.find(name)
        result = clone_shader(shader)
        if declared is None or not declared().run([result]):
            continue
        verdict = validate_pass(shader, result, ValidationOptions(time_budget=_SECONDS))
        counts.numbers[f"verdicts {name}"] += 1
        counts.numbers["verdicts"] += 1
        if isinstance(verdict, Unchecked):
            counts.numbers[f"unchecked {name}"] += 1
            counts.note("unchecked", f"{place}: {name}: {verdict.reason}")
        elif isinstance(verdict, Different):
            counts.note("different", f"{place}: {name}: {verdict}")


_COLUMNS = (
    ("dumps", "dumps"),
    ("not kept", "not kept"),
    ("errors", "errors"),
    ("emptied", "emptied"),
    ("divergence", "con/div differs"),
    ("values", "of values"),
    ("not run", "not run"),
    ("run", "of shaders"),
    ("unchecked", "unchecked"),
    ("different", "different"),
    ("verdicts", "of verdicts"),
)


def main() -> None:
    """Count and print."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument(
        "--every", type=int, default=10, help="validate passes on every Nth dump; 0: on none"
    )
    arguments.add_argument("--wrong", default="", help="list the places of this kind")
    arguments.add_argument("paths", nargs="*", type=Path, default=[SHARED / "corpus/drivers/logs.tar.xz"])
    options = arguments.parse_args()
    console = Console(width=140)
    by_driver: dict[str, Counts] = {}
    total = Counts()
    logs = list(read_logs(options.paths))
    with ProcessPoolExecutor() as pool:
        for (name, _), counts in zip(
            logs, pool.map(partial(count_log, every=options.every), logs), strict=True
        ):
            driver = name.partition(".")[0].partition("_")[0].rstrip("0123456789")
            by_driver.setdefault(driver, Counts()).merge(counts)
            total.merge(counts)
    table = Table(title=f"{len(logs)} logs")
    table.add_column("driver")
    for _, title in _COLUMNS:
        table.add_column(title, justify="right")
    for driver, counts in [*by_driver.items(), ("all", total)]:
        table.add_row(driver, *(str(counts.numbers[kind]) for kind, _ in _COLUMNS))
    console.print(table)
    for kind, place in total.places:
        if kind == options.wrong:
            console.print(f"{kind}: {place}", highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
