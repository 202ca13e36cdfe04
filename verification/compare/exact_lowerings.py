"""Exact operations that drivers lower to several: how these round is the driver's choice."""

from __future__ import annotations

from collections import Counter

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.math_control import EXACT_WORDS
from nirls.ir.model.shader import Shader
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.verification.compare.roundings import rounds

_LOWERED = frozenset(("fdiv", "fsqrt", "fpow", "fsin", "fcos", "fmod", "frem"))
"""Operations of which Mesa lowers exact ones too, by options of the driver (`lower_fdiv`, ...)."""


def lowered_exactly(before: Shader, after: Shader) -> str | None:
    """Return the name of an exact operation in whose place others that give floats are now; None if none."""
    gone = _exact_ones(before) - _exact_ones(after)
    return min(gone) if gone and _floats(after) > _floats(before) else None


def with_free_rounding(shader: Shader) -> Shader:
    """Return a copy in which no operation that rounds is exact."""
    copy = clone_shader(shader)
    for instr in copy.instrs():
        if isinstance(instr, AluInstr) and rounds(instr):
            instr.flags = instr.flags - EXACT_WORDS
    return copy


def _exact_ones(shader: Shader) -> Counter[str]:
    return Counter(
        instr.op
        for instr in shader.instrs()
        if isinstance(instr, AluInstr) and instr.exact and instr.op in _LOWERED
    )


def _floats(shader: Shader) -> int:
    """Return the number of operations that compute a float."""
    count = 0
    for instr in shader.instrs():
        row = opcode(instr.op) if isinstance(instr, AluInstr) and instr.op not in MOVES | VECTORS else None
        count += row is not None and row.output_type.startswith("float")
    return count
