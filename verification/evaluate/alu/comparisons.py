"""Comparisons and selections, in the boolean forms of every width and the 0.0 / 1.0 forms."""

from itertools import product

import numpy as np

from nirls.verification.evaluate.alu.operation import AluOperation, Compute
from nirls.verification.evaluate.values.arrays import Array

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


def _select_if(condition: Compute) -> Compute:
    def select(a: Array, b: Array, c: Array) -> Array:
        return np.where(condition(a), b, c)

    return select


def _select_by_sign(name: str, compare: Compute) -> AluOperation:
    return AluOperation(name, _select_if(lambda a: compare(a, 0)))


def _select_float_bits(name: str, compare: Compute) -> AluOperation:
    """Build a selection between floats; the selected bits are unchanged, NaN payloads included."""
    return AluOperation(name, _select_if(lambda a: compare(a.view(np.float32), 0)), raw=True)


OPERATIONS: tuple[AluOperation, ...] = (
    *(AluOperation(name + suffix, compute) for (name, compute), suffix in product(_COMPARISONS, _SUFFIXES)),
    *(
        AluOperation(name + suffix, compute, wants_bit_size=True)
        for (name, compute), suffix in product((("bitnz", _bit_is_set), ("bitz", _bit_is_clear)), _SUFFIXES)
    ),
    *(AluOperation(name, as_float(compare)) for name, compare in _SET_ON),
    AluOperation("bcsel", np.where),
    AluOperation("b8csel", np.where),
    AluOperation("b16csel", np.where),
    AluOperation("b32csel", np.where),
    AluOperation("b32fcsel_mdg", _select_if(lambda a: a != 0), raw=True),
    AluOperation("icsel_eqz", _select_if(lambda a: a == 0)),
    _select_by_sign("i32csel_gt", np.greater),
    _select_by_sign("i32csel_ge", np.greater_equal),
    _select_float_bits("fcsel", np.not_equal),
    _select_float_bits("fcsel_gt", np.greater),
    _select_float_bits("fcsel_ge", np.greater_equal),
)
