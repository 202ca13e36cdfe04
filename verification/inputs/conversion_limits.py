"""Inputs at which two conversions between formats differ: the limits of ranges, and ties of rounding.

Random numbers are almost never in the upper half of an unsigned range, and never halfway between two floats
of a narrower format, where a conversion in two steps rounds twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.float_error import MANTISSA
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, container_type

_LEAST_NORMAL = {16: -14, 32: -126, 64: -1022}
"""Exponents of the smallest normal floats."""


@dataclass(frozen=True, slots=True)
class _Conversion:
    """The formats of a conversion: `float`, `int` or `uint`, and a size in bits.

    `ldexp` makes a float of an `exponent`.
    """

    source: str
    source_size: int
    dest: str
    dest_size: int


def conversion_limits(before: Sequence[Shader], after: Sequence[Shader]) -> dict[int, list[int]]:
    """Return bits of numbers to try, by bit size, for the conversions that only one side has."""
    first, second = (Counter(_conversions_of(shaders)) for shaders in (before, after))
    numbers: dict[int, dict[int, None]] = {}
    for conversion in (first - second) + (second - first):
        own = numbers.setdefault(conversion.source_size, {})
        own.update(dict.fromkeys(_limits_of(conversion)))
    return {size: list(bits) for size, bits in numbers.items() if bits}


def _conversions_of(shaders: Sequence[Shader]) -> Iterator[_Conversion]:
    for shader in shaders:
        for instr in shader.instrs():
            row = opcode(instr.op) if isinstance(instr, AluInstr) else None
            if row is None or not isinstance(instr, AluInstr) or not row.input_types:
                continue
            source = base_type(row.input_types[0]), instr.sources[0].bit_size
            if row.name == "ldexp":
                yield _Conversion("exponent", instr.sources[1].bit_size, *source)
            if row.name.startswith("pack_half"):
                yield _Conversion(*source, "float", 16)
            elif row.is_conversion and instr.def_ is not None:
                yield _Conversion(*source, base_type(row.output_type), instr.def_.bit_size)


def _limits_of(conversion: _Conversion) -> Iterator[int]:
    source, dest = conversion.source, conversion.dest
    if source == "exponent" and conversion.dest_size in _LEAST_NORMAL:
        least = _LEAST_NORMAL[conversion.dest_size]
        mask = (1 << conversion.source_size) - 1
        yield from (number & mask for number in (least, least - 1, least - 2, 1 - least, 2 - least))
    if source == "float" and conversion.source_size in FLOAT_TYPES:
        if dest in ("int", "uint"):
            yield from _ends_of_range(conversion.source_size, conversion.dest_size)
        elif dest == "float" and conversion.dest_size < conversion.source_size:
            yield from _ties_of_floats(conversion.source_size, conversion.dest_size)
    elif source in ("int", "uint") and dest == "float" and conversion.dest_size in MANTISSA:
        yield from _ties_of_integers(conversion.source_size, MANTISSA[conversion.dest_size])


def _ends_of_range(size: int, integer_size: int) -> Iterator[int]:
    """Yield floats at the ends of the signed and the unsigned range, and in the half that only one has."""
    half = 2.0 ** (integer_size - 1)
    yield from _bits_of((half, 1.5 * half, -half), size)
    yield from _beside((half, 2 * half), size, below=True)


def _ties_of_floats(size: int, narrow: int) -> Iterator[int]:
    """Yield floats halfway between two of the narrower format, and the next ones on both sides.

    Among them are those at the largest number, and at the smallest denormal one.
    """
    half_ulp = 2.0 ** -MANTISSA[narrow]
    largest = 2.0 ** -_LEAST_NORMAL[narrow] * (2 - 2 * half_ulp) * 2
    smallest = 2.0 ** (_LEAST_NORMAL[narrow] - MANTISSA[narrow] + 1)
    ties = (1 + half_ulp, 1 + 3 * half_ulp, largest * (1 + half_ulp / (2 - 2 * half_ulp)), smallest / 2)
    yield from _bits_of(ties, size)
    yield from _beside(ties, size, below=True)
    yield from _beside(ties, size, below=False)


def _ties_of_integers(size: int, mantissa: int) -> Iterator[int]:
    """Yield integers halfway between two floats, from the least to the largest, and their neighbours."""
    if size <= mantissa:
        return
    most = size - mantissa - 1
    # The last one is negative if the integer is signed.
    for shift in sorted({0, max(most - 1, 0), most}):
        for upper in (1 << mantissa - 1, (1 << mantissa - 1) + 1):
            tie = (2 * upper + 1) << shift
            yield from (tie + step for step in (-1, 0, 1))
    yield from ((1 << size) - 1, (1 << size - 1) - 1)


def _bits_of(numbers: Sequence[float], size: int) -> list[int]:
    with np.errstate(all="ignore"):
        floats = np.array(numbers, FLOAT_TYPES[size])
    return [int(bits) for bits in floats[np.isfinite(floats)].view(container_type(size))]


def _beside(numbers: Sequence[float], size: int, *, below: bool) -> list[int]:
    with np.errstate(all="ignore"):
        floats = np.array(numbers, FLOAT_TYPES[size])
        floats = np.nextafter(floats, FLOAT_TYPES[size](-np.inf if below else np.inf))
    return [int(bits) for bits in floats[np.isfinite(floats)].view(container_type(size))]
