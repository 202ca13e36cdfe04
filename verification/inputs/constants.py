"""Constants of the shaders to try as inputs, first of all those that values are compared with.

With random inputs alone, `mode == 3` is almost never true, and `mode < 3` never distinguishes 2 from 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.operation import AluOperation
from nirls.verification.evaluate.alu.run import alu_operation, is_supported
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.inputs.conversion_limits import conversion_limits

_FLOATS = frozenset(
    (
        *("flt", "fge", "feq", "fne", "fneu", "fltu", "fgeu", "fequ", "fneo", "slt", "sge", "seq", "sne"),
        *("fmin", "fmax"),
    )
)
_INTEGERS = frozenset(("ilt", "ige", "ieq", "ine", "ult", "uge", "imin", "imax", "umin", "umax"))

_MOST_CONSTANTS, _MOST_NUMBERS = 10, 14
"""Maximum numbers of constants of one side, and of numbers around them, that places are given in turn."""

_MOST_DIVISOR = 32
_MOST_WIDE = 24
"""Maximum number of constants whose multiples, products and quotients are tried."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Constants of the shaders by bit size: those of both sides, and numbers to try for those of one side.

    A constant of one side may be a special case or a bound that the other side does not have: the numbers
    are the constant, its neighbours, its opposite, and a larger and a smaller number. `wide` are integers for
    operations that depend on all bits of their operands (`wide_numbers`), empty if there is none.
    """

    every: Mapping[int, Array] = field(default_factory=dict)
    of_one_side: Mapping[int, Array] = field(default_factory=dict)
    wide: Mapping[int, Array] = field(default_factory=dict)


def constants_of(before: Sequence[Shader], after: Sequence[Shader]) -> Constants:
    """Return the constants of the shaders, and the neighbours of those used in comparisons.

    Constants of one side only are repeated so that they make up about half of the list, because differences
    are likely there.
    """
    sides = _constants_of(before), _constants_of(after)
    limits = conversion_limits(before, after)
    found: dict[int, Array] = {}
    to_try: dict[int, Array] = {}
    for bit_size in sides[0].keys() | sides[1].keys() | limits.keys():
        first, second = (side.get(bit_size, set()) for side in sides)
        converted = limits.get(bit_size, [])
        every, single = sorted(first | second), sorted(first ^ second)
        repeated = single + converted
        times = max(1, len(every) // len(repeated)) if converted else len(every) // max(1, len(single))
        found[bit_size] = np.array(every + repeated * times, np.uint64)
        to_try[bit_size] = np.array(_numbers_around(single, bit_size) + converted, np.uint64)
    wide = {
        size: np.array(
            wide_numbers(sorted(sides[0].get(size, set()) | sides[1].get(size, set())), size), np.uint64
        )
        for size in sorted(_wide_sizes(before) | _wide_sizes(after))
    }
    return Constants(found, to_try, wide)


def _wide_sizes(shaders: Sequence[Shader]) -> set[int]:
    """Return the bit sizes of integer operations that depend on all bits of their operands."""
    return {
        src.bit_size
        for shader in shaders
        for instr in shader.instrs()
        if isinstance(instr, AluInstr) and is_supported(instr.op)
        for src in instr.sources[:2]
        if _needs_all_bits(alu_operation(instr.op), src.bit_size)
    }


def _needs_all_bits(operation: AluOperation, bit_size: int) -> bool:
    is_integer = base_type(operation.input_types[0]) in ("int", "uint")
    return operation.all_bits or (bit_size == 64 and is_integer)


def wide_numbers(constants: Sequence[int], bit_size: int) -> list[int]:
    """Return the integers that tell wrong arithmetic from right: as bits, without repetition.

    They are powers of two, what divides the largest numbers into few parts (where an approximated quotient is
    almost an integer), multiples of the constants, their products and quotients, and the neighbours and
    opposites of all these.
    """
    largest, largest_signed = (1 << bit_size) - 1, (1 << bit_size - 1) - 1
    numbers = {1 << shift for shift in range(bit_size)} | {largest}
    numbers |= {limit // part for limit in (largest, largest_signed) for part in range(2, _MOST_DIVISOR)}
    chosen = [number for number in constants if 1 < number < largest][:_MOST_WIDE]
    for number in chosen:
        for limit in (largest, largest_signed):
            most = limit // number
            numbers |= {number * times for times in (2, 3, most // 3, most - 1, most)}
        numbers |= {number * other & largest for other in chosen} | {number // other for other in chosen}
    around = {number + step for number in numbers for step in (-1, 0, 1)}
    return sorted({sign * number & largest for number in around for sign in (1, -1)})


def parts_of_largest(bit_size: int) -> list[int]:
    """Return what divides the largest number into few parts, and the neighbours of these."""
    largest = (1 << bit_size) - 1
    return sorted(
        {largest // part + step & largest for part in range(2, _MOST_DIVISOR) for step in (-1, 0, 1)}
    )


def _numbers_around(constants: Sequence[int], bit_size: int) -> list[int]:
    """Return the constants, and for the first of them other numbers of the same and the other sign."""
    found = dict.fromkeys(constants[:_MOST_CONSTANTS])
    if bit_size in FLOAT_TYPES:
        numbers = np.array(constants[:_MOST_CONSTANTS], container_type(bit_size)).view(FLOAT_TYPES[bit_size])
        with np.errstate(all="ignore"):
            for factor in (4.0, -1.0, 0.25):
                around = (numbers * FLOAT_TYPES[bit_size](factor)).view(container_type(bit_size))
                found |= dict.fromkeys(int(bits) for bits in around)
    largest = (1 << bit_size) - 1
    found |= dict.fromkeys(number & largest for bits in constants[:2] for number in (-bits, bits + 1))
    return list(found)[:_MOST_NUMBERS]


def _constants_of(shaders: Sequence[Shader]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for shader in shaders:
        for value, numbers in compared_values(shader):
            found.setdefault(value.bit_size, set()).update(numbers)
        for instr in shader.instrs():
            if isinstance(instr, LoadConstInstr) and instr.def_ is not None and instr.def_.bit_size > 1:
                found.setdefault(instr.def_.bit_size, set()).update(instr.values)
    return found


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
    return bits, *(int(neighbour.view(container_type(bit_size))[0]) for neighbour in beside)


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
