"""Inverses of ALU operations: the bits of a source that give a wanted result while the others stay constant.

An operation may round, so the result may be a neighbour of the wanted one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nirls.ir.model.float_bits import float_of
from nirls.verification.evaluate.state.coverage import EQUAL, GREATER, LESS
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, container_type

WAYS = 3
"""Number of steps that `number_beside` takes, depending on the attempt."""


class _Inverse(NamedTuple):
    """A source that can be solved for, as far as the others in `needs` are known.

    `solve` takes the wanted result and all sources; it may give NaN or an infinity if there is no solution.
    """

    source: int
    needs: tuple[int, ...]
    solve: Callable[..., Any]


def _same(*sources: int) -> tuple[_Inverse, ...]:
    return tuple(_Inverse(source, (), lambda goal, _: goal) for source in sources)


_PRODUCT = (_Inverse(0, (1,), lambda goal, x: goal / x[1]), _Inverse(1, (0,), lambda goal, x: goal / x[0]))
_FUSED = (
    _Inverse(0, (1, 2), lambda goal, x: (goal - x[2]) / x[1]),
    _Inverse(1, (0, 2), lambda goal, x: (goal - x[2]) / x[0]),
    _Inverse(2, (0, 1), lambda goal, x: goal - x[0] * x[1]),
)
_FLOATS: Mapping[str, tuple[_Inverse, ...]] = {
    "fadd": (_Inverse(0, (1,), lambda goal, x: goal - x[1]), _Inverse(1, (0,), lambda goal, x: goal - x[0])),
    "fsub": (_Inverse(0, (1,), lambda goal, x: goal + x[1]), _Inverse(1, (0,), lambda goal, x: x[0] - goal)),
    "fmul": _PRODUCT,
    "fmulz": _PRODUCT,
    "fdiv": (_Inverse(0, (1,), lambda goal, x: goal * x[1]),),
    "ffma": _FUSED,
    "ffmaz": _FUSED,
    "fneg": (_Inverse(0, (), lambda goal, _: -goal),),
    **dict.fromkeys(("fabs", "fsat", "ffloor", "fceil", "ftrunc", "fround_even", "ffract"), _same(0)),
    "fsqrt": (_Inverse(0, (), lambda goal, _: goal * goal if goal >= 0 else math.nan),),
    "frsq": (_Inverse(0, (), lambda goal, _: 1.0 / (goal * goal) if goal > 0 else math.nan),),
    "frcp": (_Inverse(0, (), lambda goal, _: 1.0 / goal),),
    "fexp2": (_Inverse(0, (), lambda goal, _: np.log2(goal)),),
    "flog2": (_Inverse(0, (), lambda goal, _: np.exp2(goal)),),
    "fsin": (_Inverse(0, (), lambda goal, _: np.arcsin(goal)),),
    "fcos": (_Inverse(0, (), lambda goal, _: np.arccos(goal)),),
    "fpow": (
        _Inverse(0, (1,), lambda goal, x: np.power(goal, 1.0 / x[1]) if goal > 0 and x[1] else math.nan),
    ),
    **dict.fromkeys(("fmin", "fmax", "fmin3", "fmax3"), _same(0, 1)),
    "flrp": (_Inverse(2, (0, 1), lambda goal, x: (goal - x[0]) / (x[1] - x[0])),),
}
_QUOTIENT = (_Inverse(0, (1,), lambda wanted, x: wanted // x[1] if x[1] else None),)
_INTEGERS: Mapping[str, tuple[_Inverse, ...]] = {
    "iadd": (
        _Inverse(1, (0,), lambda wanted, x: wanted - x[0]),
        _Inverse(0, (1,), lambda wanted, x: wanted - x[1]),
    ),
    "ixor": (
        _Inverse(1, (0,), lambda wanted, x: wanted ^ x[0]),
        _Inverse(0, (1,), lambda wanted, x: wanted ^ x[1]),
    ),
    "isub": (
        _Inverse(0, (1,), lambda wanted, x: wanted + x[1]),
        _Inverse(1, (0,), lambda wanted, x: x[0] - wanted),
    ),
    **dict.fromkeys(("imul", "amul", "imul24", "umul_24x"), _QUOTIENT),
    "ineg": (_Inverse(0, (), lambda wanted, _: -wanted),),
    "inot": (_Inverse(0, (), lambda wanted, _: ~wanted),),
    "iabs": _same(0),
    **dict.fromkeys(("imin", "imax", "umin", "umax"), _same(0, 1)),
    **dict.fromkeys(("imin3", "imax3", "umin3", "umax3"), _same(0, 1, 2)),
    "iand": (_Inverse(0, (1,), lambda wanted, _: wanted), _Inverse(1, (0,), lambda wanted, _: wanted)),
}
_SHIFTS: Mapping[str, Callable[[int, int], int]] = {
    "ishl": lambda wanted, shift: wanted >> shift,
    "ushr": lambda wanted, shift: wanted << shift,
    "ishr": lambda wanted, shift: wanted << shift,
}


def inverses(
    op: str, held: Sequence[int | None], sizes: Sequence[int], wanted: int, bit_size: int
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of sources, each with the bits that alone would give the wanted result.

    `held` are the bits of the sources, None for unknown ones, `sizes` their bit sizes, `bit_size` that of the
    result.
    """
    mask = (1 << bit_size) - 1
    if bit_size in FLOAT_TYPES and all(size in FLOAT_TYPES for size in sizes):
        goal = np.float64(float_of(wanted, bit_size))
        floats = [
            None if bits is None else float_of(bits, size) for bits, size in zip(held, sizes, strict=True)
        ]
        with np.errstate(all="ignore"):
            for source, number in _solutions(
                _same(0) if op[:3] == "f2f" else _FLOATS.get(op, ()), goal, floats
            ):
                if np.isfinite(number):
                    bits = bits_of(float(number), sizes[source])
                    if bits is not None:
                        yield source, bits
    for source, number in _solutions(_INTEGERS.get(op, ()), wanted, held):
        if number is not None:
            yield source, number & mask
    shift = _SHIFTS.get(op)
    if shift is not None and held[1] is not None:
        yield 0, shift(wanted, held[1] & (bit_size - 1)) & mask
    converted = _unconverted(op, wanted, bit_size, sizes[0]) if sizes else None
    if converted is not None:
        yield 0, converted


def _solutions(
    rules: Sequence[_Inverse], goal: Any, held: Sequence[float | None]
) -> Iterator[tuple[int, Any]]:
    for source, needs, solve in rules:
        if all(held[other] is not None for other in needs):
            yield source, solve(goal, held)


def _unconverted(op: str, wanted: int, bit_size: int, size: int) -> int | None:
    """Return the bits of the source of a conversion from or to an integer; None for other operations."""
    own_mask = (1 << size) - 1
    match op[:3]:
        case "i2i" | "u2u" if size > 1:
            return wanted & own_mask
        case "f2i":
            return bits_of(float(wanted - (wanted >> (bit_size - 1) << bit_size)), size)
        case "f2u":
            return bits_of(float(wanted), size)
        case "i2f" | "u2f" if bit_size in FLOAT_TYPES and size > 1:
            number = float_of(wanted, bit_size)
            return int(np.rint(number)) & own_mask if math.isfinite(number) else None
    return None


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
