"""Fused multiply-add with one rounding, for machines and numpy versions that have no such operation."""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

import numpy as np

from nirls.ir.evaluate.alu_operation import Array

_SPLITTER = float(2**27 + 1)
_SAFE_EXPONENT = 300


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a * b + c with a single rounding.

    float32 sources give a float64 whose conversion to float32 or float16 is the correctly rounded result:
    the product is exact in float64, and the sum is rounded to odd, which keeps enough of what was cut off
    for the second rounding (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
    float64 sources give the correctly rounded float64.
    """
    if a.dtype == np.float64:
        return _fma_double(*np.broadcast_arrays(a, b, c))
    return _add_to_odd(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64))


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _two_product(x: Array, y: Array) -> tuple[Array, Array]:
    product = x * y
    x_scaled, y_scaled = x * _SPLITTER, y * _SPLITTER
    x_high = x_scaled - (x_scaled - x)
    y_high = y_scaled - (y_scaled - y)
    x_low, y_low = x - x_high, y - y_high
    error = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
    return product, error


def _add_to_odd(x: Array, y: Array) -> Array:
    """x + y in float64, rounded to the neighbour with an odd significand unless the sum is exact."""
    total, error = _two_sum(x, y)
    bits = total.view(np.int64)
    to_move = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
    away_from_zero = (error > 0) == (total > 0)
    step = np.where(away_from_zero, np.int64(1), np.int64(-1))
    return np.where(to_move, bits + step, bits).view(np.float64)


def _fma_double(a: Array, b: Array, c: Array) -> Array:
    finite = np.isfinite(a) & np.isfinite(b)
    # A finite product that overflows must not meet an infinite addend of the other sign as an infinity.
    plain = np.where(finite & ~np.isfinite(c), c, a * b + c)
    exact_by_hand = finite & np.isfinite(c) & (a != 0) & (b != 0)
    if not exact_by_hand.any():
        return plain
    safe = exact_by_hand & _in_safe_range(a) & _in_safe_range(b) & _in_safe_range(c)
    product, product_error = _two_product(a, b)
    middle, middle_error = _two_sum(c, product_error)
    high, high_error = _two_sum(product, middle)
    result = np.where(safe, high + _add_to_odd(middle_error, high_error), plain)
    # Rare path: near overflow or underflow the error terms are not representable; Python integers are.
    for index in zip(*np.nonzero(exact_by_hand & ~safe), strict=True):
        result[index] = _fma_exact(float(a[index]), float(b[index]), float(c[index]))
    return result


def _in_safe_range(x: Array) -> Array:
    magnitude = np.abs(x)
    return (magnitude > 2.0**-_SAFE_EXPONENT) & (magnitude < 2.0**_SAFE_EXPONENT)


def _fma_exact(a: float, b: float, c: float) -> float:
    """One element with finite sources and a product that is not zero."""
    a_over, a_under = a.as_integer_ratio()
    b_over, b_under = b.as_integer_ratio()
    c_over, c_under = c.as_integer_ratio()
    over = a_over * b_over * c_under + c_over * a_under * b_under
    try:
        # Python divides integers with correct rounding, subnormal results included.
        return over / (a_under * b_under * c_under)
    except OverflowError:
        return float("inf") if over > 0 else float("-inf")
