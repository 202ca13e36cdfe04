"""Comparisons and selections, in the boolean forms of every width and the 0.0 / 1.0 forms."""

from itertools import product

import numpy as np

from nirls.verification.evaluate.alu.float_error import FloatError
from nirls.verification.evaluate.alu.operation import AluOperation, Compute
from nirls.verification.evaluate.values.arrays import Array

FLOAT_COMPARISON = FloatError(compares=True)
"""Error of a comparison of floats whose result is 0.0 or 1.0."""

_SUFFIXES = ("", "8", "16", "32")


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _bit_is_set(value: Array, index: Array, bit_size: int) -> Array:
    position = (index & np.uint32(bit_size - 1)).astype(value.dtype)
    return ((value >> position) & value.dtype.type(1)) == 1


def _bit_is_clear(value: Array, index: Array, bit_size: int) -> Array:
    return ~_bit_is_set(value, index, bit_size)


_COMPARISONS: tuple[tuple[str, Compute], ...] = (
    ("flt", np.less),
    ("fge", np.greater_equal),
    ("feq", np.equal),
    ("fneu", np.not_equal),
    ("fltu", lambda a, b: _unordered(a, b) | (a < b)),
    ("fgeu", lambda a, b: _unordered(a, b) | (a >= b)),
    ("fequ", lambda a, b: _unordered(a, b) | (a == b)),
    ("fneo", lambda a, b: ~_unordered(a, b) & (a != b)),
    ("funord", _unordered),
    ("ford", lambda a, b: ~_unordered(a, b)),
    ("ilt", np.less),
    ("ige", np.greater_equal),
    ("ieq", np.equal),
    ("ine", np.not_equal),
    ("ult", np.less),
    ("uge", np.greater_equal),
)

_SET_ON: tuple[tuple[str, Compute], ...] = (
    ("slt", np.less),
    ("sge", np.greater_equal),
    ("seq", np.equal),
    ("sne", np.not_equal),
)


def as_float(compare: Compute) -> Compute:
    """Build a comparison of floats with the result 0.0 or 1.0."""
    return lambda a, b: compare(a, b).astype(a.dtype)


def _select(a: Array, b: Array, c: Array) -> Array:
    return np.where(a != 0, b, c)


def _select_if(name: str, compare: Compute) -> AluOperation:
    """Build a selection by the comparison of an integer with 0."""

    def select(a: Array, b: Array, c: Array) -> Array:
        return np.where(compare(a, 0), b, c)

    return AluOperation(name, select, condition=compare)


def _select_float_bits(name: str, compare: Compute) -> AluOperation:
    """Build a selection between floats; the selected bits are unchanged, NaN payloads included."""

    def select(a: Array, b: Array, c: Array) -> Array:
        return np.where(compare(a.view(np.float32), 0), b, c)

    return AluOperation(name, select, condition=compare, raw=True)


OPERATIONS: tuple[AluOperation, ...] = (
    *(AluOperation(name + suffix, compute) for (name, compute), suffix in product(_COMPARISONS, _SUFFIXES)),
    *(
        AluOperation(name + suffix, compute, wants_bit_size=True)
        for (name, compute), suffix in product((("bitnz", _bit_is_set), ("bitz", _bit_is_clear)), _SUFFIXES)
    ),
    *(AluOperation(name, as_float(compare), FLOAT_COMPARISON) for name, compare in _SET_ON),
    *(AluOperation(f"b{size}csel", _select, condition=np.not_equal) for size in ("", "8", "16", "32")),
    AluOperation("b32fcsel_mdg", _select, condition=np.not_equal, raw=True),
    _select_if("icsel_eqz", np.equal),
    _select_if("i32csel_gt", np.greater),
    _select_if("i32csel_ge", np.greater_equal),
    _select_float_bits("fcsel", np.not_equal),
    _select_float_bits("fcsel_gt", np.greater),
    _select_float_bits("fcsel_ge", np.greater_equal),
)
