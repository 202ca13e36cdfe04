"""Counts of what the evaluator runs: opcodes and intrinsics of the tables, shaders of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.ir.tables import intrinsics, opcodes
from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import run_shader
from nirls.verification.evaluate.supported import supported_alu_opcodes, supported_intrinsics
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.errors import Unsupported
from tools.corpus.tally import CaseTally, Outcome, Task

ALU = "ALU opcodes, retired ones included"
_FORMS = ("raw", "ssa", "io")
_VENDORS = (
    *("_amd", "_intel", "_nv", "_ir3", "_pan", "_agx"),
    *("_v3d", "_r600", "_dxil", "_brcm", "_pco", "_mali"),
)


def tasks(corpus: Path) -> Iterator[Task]:
    """The tables if the corpus has shaders to run, and one task a shader."""
    paths = sorted(path for form in _FORMS for path in corpus.glob(f"pipelines/*/*/*.{form}.nir"))
    if paths:
        yield count_tables
    for path in paths:
        yield partial(count_shader, path)


def count_tables() -> CaseTally:
    """Count the opcodes and intrinsics that can be run."""
    tally = CaseTally()
    able = supported_alu_opcodes()
    for name in opcodes():
        tally.add(ALU, "right" if name in able else "other")
    able = supported_intrinsics()
    for name in intrinsics():
        row = "vendor intrinsics" if name.endswith(_VENDORS) else "intrinsics without vendor suffix"
        tally.add(row, "right" if name in able else "other")
    return tally


def count_shader(path: Path) -> CaseTally:
    """Whether a shader can be run, with the reason if not."""
    tally = CaseTally()
    tally.add("shaders of the corpus (raw, ssa, io)", *outcome(path))
    return tally


def outcome(path: Path) -> tuple[Outcome, str]:
    """`right` for a shader that can be run, else the reason."""
    try:
        result = run_shader(parse_dump(path.read_bytes()), Environment(seed=1), lanes=16)
    except Unsupported as error:
        return "other", f"unsupported: {error}"
    reason = next(iter(result.given_up), "")
    return ("other", reason) if reason else ("right", "")
