"""Operations that drivers lower as their hardware computes.

How those round in whose place several are, is the driver's choice, and so is what an angle is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from nirls.ir.analysis.correspondence import value_numbers
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.math_control import EXACT_WORDS
from nirls.ir.model.shader import Shader
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES, VECTORS

_KEPT = frozenset(("fadd", "fsub", "fmul", "fneg", "fabs", "fmin", "fmax", "fsat", "flrp")) | MOVES | VECTORS
"""Operations that all hardware has, and those whose exact results a lowering keeps (`nir_lower_flrp`). Of all
others Mesa lowers exact ones too, by options of the driver (`lower_fdiv`, `lower_ffma32`, ...)."""


def lowered_exactly(before: Shader, after: Shader) -> str | None:
    """Return the name of an exact operation in whose place others that give floats are now; None if none."""
    gone = _exact_ones(before) - _exact_ones(after)
    return min(gone) if gone and _floats(after) > _floats(before) else None


def changed_angle(before: Shader, after: Shader) -> str | None:
    """Return `fsin` or `fcos` if one has another angle than before; None if none has.

    Hardware takes angles in revolutions, or of one period only.
    """
    numbers: dict[Hashable, int] = {}
    old = set(_angles(before, numbers))
    return next((found[0] for found in _angles(after, numbers) if found not in old), None)


def _angles(shader: Shader, numbers: dict[Hashable, int]) -> Iterator[tuple[str, int | None]]:
    """Yield each sine and cosine, with the number of the value of its angle."""
    instrs = list(shader.instrs())
    number_of = dict(zip(instrs, value_numbers(instrs, numbers), strict=True))
    for instr in instrs:
        if isinstance(instr, AluInstr) and instr.op in ("fsin", "fcos"):
            maker = instr.sources[0].def_instr
            yield instr.op, None if maker is None else number_of.get(maker)


def with_free_rounding(shader: Shader) -> Shader:
    """Return a copy in which no operation is exact."""
    copy = clone_shader(shader)
    for instr in copy.instrs():
        if isinstance(instr, AluInstr):
            instr.flags = instr.flags - EXACT_WORDS
    return copy


def _exact_ones(shader: Shader) -> Counter[str]:
    return Counter(
        instr.op
        for instr in shader.instrs()
        if isinstance(instr, AluInstr) and instr.exact and instr.op not in _KEPT and _is_float(instr)
    )


def _floats(shader: Shader) -> int:
    """Return the number of operations that compute a float."""
    return sum(
        isinstance(instr, AluInstr) and instr.op not in MOVES | VECTORS and _is_float(instr)
        for instr in shader.instrs()
    )


def _is_float(instr: AluInstr) -> bool:
    row = opcode(instr.op)
    return row is not None and row.output_type.startswith("float")
