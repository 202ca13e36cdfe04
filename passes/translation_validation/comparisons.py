"""Constants that a shader compares values with: the inputs on which two programs most likely differ.

With random inputs alone, `mode == 3` is almost never true, and `mode < 3` never distinguishes 2 from 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.arrays import FLOAT_TYPES
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def

_FLOATS = frozenset(
    (
        *("flt", "fge", "feq", "fne", "fneu", "fltu", "fgeu", "fequ", "fneo", "slt", "sge", "seq", "sne"),
        *("fmin", "fmax"),
    )
)
_INTEGERS = frozenset(("ilt", "ige", "ieq", "ine", "ult", "uge", "imin", "imax", "umin", "umax"))


def compared_values(shader: Shader) -> Iterator[tuple[Def, Sequence[int]]]:
    """Yield the values that are compared with or clamped by constants, also under a constant mask.

    Each comes with the raw bits of a constant and others to try beside it.
    """
    for instr in shader.instrs():
        if isinstance(instr, AluInstr):
            as_float = instr.op.rstrip("0123456789") in _FLOATS
            for src, constant in _tests_of(instr):
                yield from _read_from(src, constant, as_float)


def neighbours(bits: int, bit_size: int, as_float: bool) -> tuple[int, ...]:
    """Return a number and its two neighbours, as raw bits."""
    if not as_float or bit_size not in FLOAT_TYPES:
        mask = (1 << bit_size) - 1
        return bits, (bits + 1) & mask, (bits - 1) & mask
    number = np.array([bits], container_type(bit_size)).view(FLOAT_TYPES[bit_size])
    with np.errstate(all="ignore"):
        beside = [np.nextafter(number, number.dtype.type(limit)) for limit in (np.inf, -np.inf)]
    return bits, *(int(one.view(container_type(bit_size))[0]) for one in beside)


def _tests_of(instr: AluInstr) -> Iterator[tuple[AluSrc, int]]:
    """Yield the operands that are compared with a constant, with the constant's bits."""
    if instr.op.rstrip("0123456789") not in _FLOATS | _INTEGERS or len(instr.sources) != 2:
        return
    for src, other in (instr.sources, reversed(instr.sources)):
        constant = _constant(other)
        if constant is not None and src.def_ is not None and len(src.swizzle) == 1:
            yield src, constant


def _constant(src: AluSrc) -> int | None:
    maker = src.def_instr
    if not isinstance(maker, LoadConstInstr) or len(src.swizzle) != 1 or src.negate or src.abs:
        return None
    return maker.values[src.swizzle[0]] if src.swizzle[0] < len(maker.values) else None


def _read_from(src: AluSrc, constant: int, as_float: bool) -> Iterator[tuple[Def, Sequence[int]]]:
    """Yield the operand, and the value it is masked from, each with the numbers to try there."""
    value = src.ssa
    yield value, neighbours(constant, value.bit_size, as_float)
    maker = value.instr
    if not isinstance(maker, AluInstr) or maker.op != "iand" or len(maker.sources) != 2:
        return
    for inner, other in (maker.sources, reversed(maker.sources)):
        mask = _constant(other)
        if mask is not None and inner.def_ is not None and len(inner.swizzle) == 1:
            yield inner.def_, (constant, mask, constant ^ mask)
