"""Conversions between numeric types and widths, and between booleans and numbers.

A float outside the range of the integer type (or NaN) has no defined conversion in NIR. Here it saturates,
NaN to 0, and `undefined` marks it.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from nirls.verification.evaluate.alu.error_rules import pass_on
from nirls.verification.evaluate.alu.float_error import FloatError, is_same_number, rounded, ulps
from nirls.verification.evaluate.alu.floats import to_half_toward_zero
from nirls.verification.evaluate.alu.operation import AluOperation, Compute, same_as
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array

_BETWEEN_FLOATS = rounded(pass_on, is_exact=is_same_number)
_TO_HALF = rounded(pass_on, is_exact=is_same_number, exact_own=ulps(1))
"""`f2f16` rounds as the driver chooses, if exact too; `f2f16_rtne` and `f2f16_rtz` do not."""
_TO_FLOAT = rounded(is_exact=is_same_number)
_TO_INTEGER = FloatError(flips=lambda x, e: np.trunc(x[0] - e[0]) != np.trunc(x[0] + e[0]))
_TO_BOOLEAN = FloatError(flips=lambda x, e: (np.abs(x[0]) <= e[0]) & (e[0] > 0))

_LARGEST_OF_BOTH = (1 << 15) - 1
_INTEGER_SIZES = (1, 8, 16, 32, 64)
_BOOLEAN_SIZES = (1, 8, 16, 32)


def _limits(base: str, bit_size: int) -> tuple[int, int]:
    """Return the range of the C type of the result: a 1-bit integer is a byte that is then truncated."""
    width = max(bit_size, 8)
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if base == "int" else (0, (1 << width) - 1)


def _float_to_integer(a: Array, base: str, bit_size: int) -> Array:
    low, high = _limits(base, bit_size)
    wide = np.int64 if base == "int" else np.uint64
    truncated = np.trunc(a)
    # high + 1 is a power of two, so it is exact in every format with sufficient range.
    too_low, too_high = truncated < float(low), truncated >= float(high + 1)
    representable = ~(too_low | too_high | np.isnan(a))
    converted = np.where(representable, truncated, a.dtype.type(0)).astype(wide)
    return np.where(too_low, wide(low), np.where(too_high, wide(high), converted))


def _is_out_of_range(a: Array, base: str, bit_size: int) -> Array:
    low, high = _limits(base, bit_size)
    truncated = np.trunc(a)
    return ~((truncated >= float(low)) & (truncated < float(high + 1)))


def _same(a: Array) -> Array:
    return a


def _is_not_zero(a: Array) -> Array:
    return a != 0


def _to(dtype: type[np.generic]) -> Compute:
    return lambda a: a.astype(dtype)


_INTEGER_TO_HALF = _to(np.float32)
"""Integers too large for float16 have already left its range before float32 rounds them."""


def _from_float(name: str, base: str, bit_size: int) -> AluOperation:
    return AluOperation(
        name,
        partial(_float_to_integer, base=base, bit_size=bit_size),
        undefined=partial(_is_out_of_range, base=base, bit_size=bit_size),
        error=_TO_INTEGER,
        inverse=same_as(0),
        saturates=True,
    )


def _to_floats() -> Iterator[AluOperation]:
    for bit_size, dtype in FLOAT_TYPES.items():
        from_integer = _INTEGER_TO_HALF if bit_size == 16 else _to(dtype)
        error = _TO_HALF if bit_size == 16 else _BETWEEN_FLOATS
        yield AluOperation(f"f2f{bit_size}", _to(dtype), error, same_as(0))
        yield AluOperation(f"i2f{bit_size}", from_integer, _TO_FLOAT, same_as(0))
        yield AluOperation(f"u2f{bit_size}", from_integer, _TO_FLOAT, same_as(0))
        yield AluOperation(f"b2f{bit_size}", _to(np.float32))
    # The rounding mode is part of the operation, so the result is fully determined.
    yield AluOperation("f2f16_rtne", _to(np.float16), FloatError(rule=pass_on), same_as(0))
    yield AluOperation("f2f16_rtz", to_half_toward_zero, FloatError(rule=pass_on), same_as(0))


def _to_integers() -> Iterator[AluOperation]:
    for bit_size in _INTEGER_SIZES:
        yield _from_float(f"f2i{bit_size}", "int", bit_size)
        yield _from_float(f"f2u{bit_size}", "uint", bit_size)
        yield AluOperation(f"i2i{bit_size}", _to(np.int64), inverse=same_as(0))
        yield AluOperation(f"u2u{bit_size}", _same, inverse=same_as(0))
        yield AluOperation(f"b2i{bit_size}", _to(np.int64))


def _to_booleans() -> Iterator[AluOperation]:
    for bit_size in _BOOLEAN_SIZES:
        yield AluOperation(f"f2b{bit_size}", _is_not_zero, _TO_BOOLEAN)
        yield AluOperation(f"i2b{bit_size}", _is_not_zero)
        yield AluOperation(f"b2b{bit_size}", _same)


def _medium_precision() -> Iterator[AluOperation]:
    yield AluOperation("f2fmp", _to(np.float16), _BETWEEN_FLOATS, same_as(0))
    yield AluOperation("i2fmp", _INTEGER_TO_HALF, _TO_FLOAT)
    yield AluOperation("u2fmp", _INTEGER_TO_HALF, _TO_FLOAT)
    # What drivers without 16-bit integers leave out keeps all bits.
    yield AluOperation("i2imp", _same, undefined=lambda a: (a < 0) | (a > _LARGEST_OF_BOTH))
    yield _from_float("f2imp", "int", 16)
    yield _from_float("f2ump", "uint", 16)


OPERATIONS: tuple[AluOperation, ...] = (
    *_to_floats(),
    *_to_integers(),
    *_to_booleans(),
    *_medium_precision(),
)
