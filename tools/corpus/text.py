"""Text, validation and divergence: dumps printed byte for byte, valid, with the `con` and `div` of Mesa.

Mesa's unit tests of dead varyings count too: how many have the same outcome here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.ir.analysis.divergence import agreement
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.corpus.tally import CaseTally, Task
from tools.corpus.varying_cases import differences, lost_accesses, read_case

FOLDERS = ("pipelines", "varyings", "old", "logs")
SUFFIXES = frozenset({".nir", ".txt", ".log"})
KEPT = "printed byte for byte, with the source at hand"
FRESH = "printed byte for byte, from the IR alone"
READ = "dumps without an unreadable line"
VALID = "dumps without a validation error"
KNOWN = "dumps without a validation warning"
SUBGROUP = "values: divergence in a subgroup"
VERTEX = "values: divergence across vertices"
DEAD = "cases of dead varyings that end as in Mesa"
SAFE = "cases: nothing removed that Mesa keeps"


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a file, the largest files first, so that none runs alone at the end."""
    paths = [path for folder in FOLDERS for path in (corpus / folder).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(paths, key=lambda path: -path.stat().st_size):
        yield partial(count_file, path)


def count_file(path: Path) -> CaseTally:
    """Count everything about one file."""
    tally = CaseTally()
    data = path.read_bytes()
    for number, dump in enumerate(split_dumps(data), 1):
        text = data[dump.start : dump.end]
        shader = parse_dump(text)
        _count_dump(tally, text, shader, f"{_name(path)}#{number}")
        if path.name.endswith((".div.nir", ".vdiv.nir")):
            vertex = path.name.endswith(".vdiv.nir")
            found = agreement(shader, vertex=vertex)
            row, total = VERTEX if vertex else SUBGROUP, found.values + found.flags
            equal = found.values_equal + found.flags_equal
            tally.add(row, "right", times=equal)
            tally.add(row, "other", _name(path), times=total - equal)
    if path.parent.name == "varyings":
        _count_case(tally, data, path.name)
    return tally


def _count_dump(tally: CaseTally, text: bytes, shader: Shader, where: str) -> None:
    tally.add(READ, "wrong" if shader.unreadable else "right", where if shader.unreadable else "")
    is_kept = print_shader(shader) == text
    tally.add(KEPT, "right" if is_kept else "wrong", "" if is_kept else where)
    # What stands before the first and behind the last line of a dump is not the printer's.
    is_same = fresh(shader).strip() == text.strip()
    tally.add(FRESH, "right" if is_same else "other", "" if is_same else where)
    problems = validate(shader)
    errors = [problem for problem in problems if problem.severity == "error"]
    tally.add(VALID, "wrong" if errors else "right", f"{where}: {errors[0]}" if errors else "")
    tally.add(KNOWN, "other" if problems else "right", f"{where}: {problems[0]}" if problems else "")


def _count_case(tally: CaseTally, data: bytes, name: str) -> None:
    case = read_case(data)
    ours = [clone_shader(shader) for shader in case.before]
    OptVaryingsDeadIo().run(ours)
    if name.startswith("dead_"):
        wrong = differences(case, ours)
        tally.add(DEAD, "wrong" if wrong else "right", f"{name}: {wrong[0]}" if wrong else "")
    lost = lost_accesses(case, ours)
    tally.add(SAFE, "wrong" if lost else "right", f"{name}: {lost[0]}" if lost else "")


def _name(path: Path) -> str:
    return "/".join(path.parts[-3:])
