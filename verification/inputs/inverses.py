"""Inverses of ALU operations: the bits of a source that give a wanted result while the others stay constant.

An operation may round, so the result may be a neighbour of the wanted one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nirls.ir.model.float_bits import float_of
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.run import alu_operation, is_supported
from nirls.verification.evaluate.state.coverage import EQUAL, GREATER, LESS
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, container_type

WAYS = 3
"""Number of steps that `number_beside` takes, depending on the attempt."""


def inverses(
    op: str, held: Sequence[int | None], sizes: Sequence[int], wanted: int, bit_size: int
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of sources, each with the bits that alone would give the wanted result.

    `held` are the bits of the sources, None for unknown ones, `sizes` their bit sizes, `bit_size` that of the
    result.
    """
    if not is_supported(op):
        return
    operation = alu_operation(op, bit_size)
    if len(held) != len(operation.input_types):
        return
    kinds = [base_type(kind) for kind in operation.input_types]
    result = base_type(operation.output_type)
    goal = _operand(wanted, bit_size, result, is_signed=result == "int" and "float" in kinds)
    known = [
        None if bits is None else _operand(bits, size, kind)
        for bits, size, kind in zip(held, sizes, kinds, strict=True)
    ]
    for inverse in operation.inverse:
        if any(known[other] is None for other in inverse.needs):
            continue
        with np.errstate(all="ignore"):
            number = inverse.solve(goal, known, bit_size)
        bits = None if number is None else _bits(number, sizes[inverse.source], kinds[inverse.source])
        if bits is not None:
            yield inverse.source, bits


def _operand(bits: int, size: int, kind: str, *, is_signed: bool = False) -> Any:
    """Return a float, or an integer: its raw bits, or the number that it is."""
    if kind == "float":
        return np.float64(float_of(bits, size)) if size in FLOAT_TYPES else math.nan
    return bits - (bits >> (size - 1) << size) if is_signed else bits


def _bits(number: Any, size: int, kind: str) -> int | None:
    """Return the bits of a solution; None if it is none."""
    if kind == "float":
        return bits_of(float(number), size) if np.isfinite(number) else None
    if size == 1 or not np.isfinite(float(number)):
        return None
    return int(np.rint(number) if isinstance(number, float) else number) & ((1 << size) - 1)


def decoded(bits: int, bit_size: int, *, is_float: bool) -> Any:
    """Decode bits as the operand of a comparison of floats or integers."""
    if is_float and bit_size in FLOAT_TYPES:
        return FLOAT_TYPES[bit_size](float_of(bits, bit_size))
    return container_type(bit_size)(bits)


def number_beside(other: Any, side: int, bit_size: int, attempt: int) -> int | None:
    """Return the bits of a number on the given side of another one."""
    if other.dtype.kind == "f":
        number = float(other)
        if np.isnan(number):
            number = 0.5
        step = (1.0, 0.01, abs(number) + 1.0)[attempt % WAYS]
        number += {EQUAL: 0.0, LESS: -step, GREATER: step}[side]
        return bits_of(number, bit_size)
    if other.dtype.kind == "b":
        return None
    return (int(other) + {EQUAL: 0, LESS: -1, GREATER: 1}[side]) & ((1 << bit_size) - 1)


def bits_of(number: float, bit_size: int) -> int | None:
    """Return the bits of a float; None for a bit size without floats."""
    if bit_size not in FLOAT_TYPES:
        return None
    with np.errstate(all="ignore"):
        return int(np.array([number], FLOAT_TYPES[bit_size]).view(container_type(bit_size))[0])
