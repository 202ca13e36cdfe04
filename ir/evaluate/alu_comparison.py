"""Comparisons and selections, in the boolean forms of every width and the 0.0 / 1.0 forms."""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from itertools import product

import numpy as np

from nirls.ir.evaluate.alu_operation import AluOperation, Array, Compute

_BOOLEANS = (("", "bool1"), ("8", "bool8"), ("16", "bool16"), ("32", "bool32"))


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _bit_is_set(value: Array, index: Array, bit_size: int) -> Array:
    position = (index & np.uint32(bit_size - 1)).astype(value.dtype)
    return ((value >> position) & value.dtype.type(1)) == 1


def _bit_is_clear(value: Array, index: Array, bit_size: int) -> Array:
    return ~_bit_is_set(value, index, bit_size)


_COMPARISONS: tuple[tuple[str, str, Compute], ...] = (
    ("flt", "float", np.less),
    ("fge", "float", np.greater_equal),
    ("feq", "float", np.equal),
    ("fneu", "float", np.not_equal),
    ("fltu", "float", lambda a, b: _unordered(a, b) | (a < b)),
    ("fgeu", "float", lambda a, b: _unordered(a, b) | (a >= b)),
    ("fequ", "float", lambda a, b: _unordered(a, b) | (a == b)),
    ("fneo", "float", lambda a, b: ~_unordered(a, b) & (a != b)),
    ("funord", "float", _unordered),
    ("ford", "float", lambda a, b: ~_unordered(a, b)),
    ("ilt", "int", np.less),
    ("ige", "int", np.greater_equal),
    ("ieq", "int", np.equal),
    ("ine", "int", np.not_equal),
    ("ult", "uint", np.less),
    ("uge", "uint", np.greater_equal),
)

_SET_ON: tuple[tuple[str, Compute], ...] = (
    ("slt", np.less),
    ("sge", np.greater_equal),
    ("seq", np.equal),
    ("sne", np.not_equal),
)


def _as_float(compare: Compute) -> Compute:
    return lambda a, b: compare(a, b).astype(a.dtype)


def _select_if(condition: Compute) -> Compute:
    def select(a: Array, b: Array, c: Array) -> Array:
        return np.where(condition(a), b, c)

    return select


def _select(name: str, condition: str, base: str) -> AluOperation:
    return AluOperation(name, "uint", (condition, base, base), np.where)


def _select_by_sign(name: str, base: str, compare: Compute) -> AluOperation:
    return AluOperation(name, base, (base, base, base), _select_if(lambda a: compare(a, 0)))


def _select_float_bits(name: str, compare: Compute) -> AluOperation:
    """A choice between floats passes the chosen one on unchanged, NaN payloads included."""
    return AluOperation(
        name,
        "float32",
        ("float32", "float32", "float32"),
        _select_if(lambda a: compare(a.view(np.float32), 0)),
        raw=True,
    )


OPERATIONS: tuple[AluOperation, ...] = (
    *(
        AluOperation(name + suffix, boolean, (base, base), compute)
        for (name, base, compute), (suffix, boolean) in product(_COMPARISONS, _BOOLEANS)
    ),
    *(
        AluOperation(name + suffix, boolean, ("uint", "uint32"), compute, wants_bit_size=True)
        for (name, compute), (suffix, boolean) in product(
            (("bitnz", _bit_is_set), ("bitz", _bit_is_clear)), _BOOLEANS
        )
    ),
    *(AluOperation(name, "float", ("float", "float"), _as_float(compare)) for name, compare in _SET_ON),
    _select("bcsel", "bool1", "uint"),
    _select("b8csel", "bool8", "uint"),
    _select("b16csel", "bool16", "uint"),
    _select("b32csel", "bool32", "uint"),
    AluOperation(
        "b32fcsel_mdg", "uint", ("bool32", "float", "float"), _select_if(lambda a: a != 0), raw=True
    ),
    AluOperation("icsel_eqz", "int", ("int", "int", "int"), _select_if(lambda a: a == 0)),
    _select_by_sign("i32csel_gt", "int32", np.greater),
    _select_by_sign("i32csel_ge", "int32", np.greater_equal),
    _select_float_bits("fcsel", np.not_equal),
    _select_float_bits("fcsel_gt", np.greater),
    _select_float_bits("fcsel_ge", np.greater_equal),
)
