"""`python -m tools.libnir.round_trip [FILE...]`: build dumps by libnir, print them, and compare.

Each dump becomes a unit test without a pass, which Mesa compiles, builds, validates and prints. What it
prints must equal the dump in structure (`nirls diff`). Counts are by the form of the dump: the part of its
file's name before `.nir`, or `log`. Without files, the dumps of the corpus' pipelines before and after I/O is
lowered are taken, and its miscompiles.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from nirls.ir.mesa_test import Expectation, NotBuildableError, mesa_api, unit_test
from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.documents.document import Snapshot
from nirls.server.ide.history.snapshot_diff import texts_of_dumps
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import CompileError, LibnirCompiler, run_tests

_IN_ONE_PROGRAM: Final = 40
_TEST_CLASS = re.compile(r"TEST_F\((\w+), (\w+)\)")
_SECTION = re.compile(rb"^=== .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A dump of the corpus."""

    form: str
    name: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case: `equal`, or why not. `same_text`: the text is the same but for space."""

    case: Case
    outcome: str
    detail: str = ""
    same_text: bool = False


def main() -> int:
    """Count, print, and return the exit status: 1 if the library is not there."""
    arguments = argparse.ArgumentParser(prog="python -m tools.libnir.round_trip", description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--every", type=int, default=1, help="take only every so many dumps")
    arguments.add_argument("--notes", type=int, default=10, help="how many failures to print of each form")
    options = arguments.parse_args()
    build = build_folder()
    if build is None:
        print("libnir is not there: run make mesa", file=sys.stderr)
        return 1
    cases = list(cases_of(options.files or corpus_files(corpus_folder())))[:: options.every]
    by_form: dict[str, list[Result]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        for result in round_trip(cases, LibnirCompiler(build, Path(work))):
            by_form[result.case.form].append(result)
    for form, results in sorted(by_form.items()):
        counts = Counter(result.outcome for result in results)
        same = sum(result.same_text for result in results)
        print(f"{form}: {len(results)} dumps, {dict(counts.most_common())}, {same} with the same text")
        wrong = [result for result in results if result.outcome != "equal"]
        reasons = Counter(f"{result.outcome}: {result.detail}" for result in wrong)
        for reason, count in reasons.most_common(options.notes):
            example = next(one.case.name for one in wrong if f"{one.outcome}: {one.detail}" == reason)
            print(f"    {count} {reason[:600]}   ({example})")
    return 0


def corpus_files(folder: Path) -> list[Path]:
    """Return the files of the corpus whose dumps are taken by default."""
    patterns = ("pipelines/*/modern/*.ssa.nir", "pipelines/*/modern/*.io.nir", "bugs/*/*.log")
    return [file for pattern in patterns for file in sorted(folder.glob(pattern))]


def cases_of(files: Iterable[Path]) -> Iterator[Case]:
    """Yield the modern dumps in files; equal texts once."""
    seen: set[bytes] = set()
    for file in files:
        for number, dump in enumerate(Snapshot.of(file.read_bytes()).dumps()):
            text = dump.piece.text
            if text in seen or parse_dump(text).dialect is not Dialect.MODERN:
                continue
            seen.add(text)
            yield Case(_form(file), f"{file.parent.parent.name}/{file.name}#{number + 1}", text)


def _form(file: Path) -> str:
    parts = file.name.split(".")
    return parts[1] if len(parts) > 2 and parts[-1] == "nir" else file.suffix.lstrip(".") or "log"


def round_trip(cases: Sequence[Case], compiler: LibnirCompiler) -> Iterator[Result]:
    """Build, print and compare dumps; many in one program."""
    tests: list[tuple[Case, str]] = []
    for number, case in enumerate(cases):
        shader = parse_dump(case.text)
        try:
            test = unit_test(shader, None, Expectation(shader), mesa_api("25.0"), f"case_{number}")
        except NotBuildableError as error:
            yield Result(case, "not buildable", str(error))
        else:
            tests.append((case, test.text))
    parts = [tests[start : start + _IN_ONE_PROGRAM] for start in range(0, len(tests), _IN_ONE_PROGRAM)]
    with ThreadPoolExecutor(2) as pool:
        for results in pool.map(
            lambda numbered: list(_compiled(f"part_{numbered[0]}", numbered[1], compiler)), enumerate(parts)
        ):
            yield from results


def _compiled(name: str, tests: Sequence[tuple[Case, str]], compiler: LibnirCompiler) -> Iterator[Result]:
    """Compile tests to one program and run them, without those that the compiler refuses."""
    starts = list(accumulate((text.count("\n") + 1 for _, text in tests), initial=1))
    try:
        program = compiler.program(name, "\n".join(text for _, text in tests))
    except CompileError as error:
        refused = {bisect_right(starts, line) - 1: message for line, message in error.errors.items()}
        if not refused:
            yield from (Result(case, "not compiled", str(error)) for case, _ in tests)
            return
        yield from (Result(tests[place][0], "not compiled", text) for place, text in refused.items())
        rest = [test for place, test in enumerate(tests) if place not in refused]
        if rest:
            yield from _compiled(name, rest, compiler)
        return
    names = []
    for _, text in tests:
        match = _TEST_CLASS.search(text)
        assert match is not None
        names.append(f"{match.group(1)}.{match.group(2)}")
    for (case, _), ran in zip(tests, run_tests(program, names), strict=True):
        yield compared(case, ran.printed, ran.output, ran.passed)
    program.unlink()


def compared(case: Case, printed: str, output: str, passed: bool) -> Result:
    """Compare what Mesa printed with the dump, by structure."""
    if not printed:
        lines = [line for line in output.splitlines() if "error" in line or "Assert" in line]
        return Result(case, "not built", " | ".join(lines[:3]) or output[-300:])
    header = {b"name", b"label", b"source_blake3", b"divergence_analysis_run"}
    original, made = (_without(text, header) for text in (case.text, printed.encode()))
    texts = texts_of_dumps(original, made)
    if texts.same:
        return Result(case, "equal", same_text=passed)
    changed = [line for line in texts.unified().splitlines()[2:] if line[:1] in "+-"]
    return Result(case, "different", " ".join(" ".join(line.split()) for line in changed[:2]))


def _without(text: bytes, keys: set[bytes]) -> bytes:
    """Return a dump without some fields of the header, which a test has not."""
    lines = text.split(b"\n")
    return b"\n".join(line for line in lines if line.partition(b":")[0] not in keys)


if __name__ == "__main__":
    sys.exit(main())
