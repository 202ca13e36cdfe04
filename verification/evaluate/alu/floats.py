"""Float arithmetic, rounding, minimum and maximum, and the functions that hardware approximates.

16-bit floats are computed in float32 and rounded once at the end, as Mesa's constant folding does; for one
addition, multiplication, division or square root that equals rounding once. The functions that GPUs
approximate are computed in float64, so their float32 result is correctly rounded in all but very
rare cases.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nirls.verification.evaluate.alu.error_rules import (
    exponential,
    inverse_root,
    logarithm,
    mix,
    monotonic,
    pass_on,
    power,
    product_and_sum,
    product_of_two,
    quotient_error,
    reciprocal,
    scaled_by_power,
    square_root,
    sum_of_errors,
    wave,
)
from nirls.verification.evaluate.alu.float_error import (
    FloatError,
    approximate,
    coarse_wave_own,
    exact_mix_own,
    exponential_own,
    flushed_own,
    fused_own,
    is_exact_product,
    is_exact_sum,
    logarithm_own,
    mix_own,
    power_own,
    rounded,
    wave_own,
)
from nirls.verification.evaluate.alu.operation import AluOperation, Compute, Inverse, same_as
from nirls.verification.evaluate.values.arrays import Array


def to_half_toward_zero(value: Array) -> Array:
    """Convert to float16 by truncation; finite values out of range become +-65504."""
    with np.errstate(over="ignore"):
        nearest = value.astype(np.float16)
    overshot = np.abs(nearest.astype(value.dtype)) > np.abs(value)
    return (nearest.view(np.uint16) - overshot.astype(np.uint16)).view(np.float16)


def half_bits(value: Array) -> Array:
    """Return the bits of a float, rounded to the nearest even float16, as uint32; every NaN is 0x7e00."""
    with np.errstate(over="ignore"):
        return _bits(value.astype(np.float16))


def half_bits_toward_zero(value: Array) -> Array:
    """As `half_bits`, rounded toward zero."""
    return _bits(to_half_toward_zero(value))


def half_value(bits: Array) -> Array:
    """Return the float32 value of the float16 in the low 16 bits of an integer."""
    return (bits & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float32)


def flush_half_denormals(bits: Array) -> Array:
    """Replace each denormal in float16 bits by the zero of its sign."""
    return np.where((bits & 0x7C00) == 0, bits & 0x8000, bits)


def _bits(half: Array) -> Array:
    return np.where(np.isnan(half), np.uint32(0x7E00), half.view(np.uint16).astype(np.uint32))


Solve = Callable[[Any, Any], Any]
"""Solution for a source, from the wanted result and all sources."""

_SPLITTER = float(2**27 + 1)
_SAFE_EXPONENT = 300


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """Compute a * b + c with a single rounding.

    float32 sources give a float64 whose conversion to float32 or float16 is the correctly rounded result:
    the product is exact in float64, and the sum is rounded to odd, which keeps enough of the lost bits
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
    """Compute x + y in float64, rounded to the neighbour with an odd significand unless the sum is exact."""
    total, error = _two_sum(x, y)
    bits = total.view(np.int64)
    to_move = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
    away_from_zero = (error > 0) == (total > 0)
    step = np.where(away_from_zero, np.int64(1), np.int64(-1))
    return np.where(to_move, bits + step, bits).view(np.float64)


def _fma_double(a: Array, b: Array, c: Array) -> Array:
    finite = np.isfinite(a) & np.isfinite(b)
    # A finite product that overflows must not produce NaN with an infinite addend of the other sign.
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
    """Compute one element with finite sources and a nonzero product."""
    a_over, a_under = a.as_integer_ratio()
    b_over, b_under = b.as_integer_ratio()
    c_over, c_under = c.as_integer_ratio()
    over = a_over * b_over * c_under + c_over * a_under * b_under
    try:
        # Python divides integers with correct rounding, subnormal results included.
        return over / (a_under * b_under * c_under)
    except OverflowError:
        return float("inf") if over > 0 else float("-inf")


_SMALLEST_NORMAL_HALF = 2.0**-14
_SIGN: dict[int, np.unsignedinteger[Any]] = {
    16: np.uint16(0x8000),
    32: np.uint32(0x80000000),
    64: np.uint64(0x8000000000000000),
}


def minimum(a: Array, b: Array) -> Array:
    """Return the lesser operand; a number is preferred to any NaN, and -0 is less than +0."""
    return _settle_zeros(np.where((a < b) | np.isnan(b), a, b), a, b, np.bitwise_or)


def maximum(a: Array, b: Array) -> Array:
    """Return the greater operand; a number is preferred to any NaN, and +0 is greater than -0."""
    return _settle_zeros(np.where((a > b) | np.isnan(b), a, b), a, b, np.bitwise_and)


def _settle_zeros(chosen: Array, a: Array, b: Array, combine: Compute) -> Array:
    equal = a == b
    if not equal.any():
        return chosen
    # Equal floats have equal bits, but for the two zeros: there the sign bits are combined.
    integer = np.uint32 if a.dtype == np.float32 else np.uint64
    return np.where(equal, combine(a.view(integer), b.view(integer)).view(a.dtype), chosen)


def _clamp(low: float) -> Compute:
    """Build a clamp to `low` .. 1; NaN becomes `low`."""
    return lambda a: np.where(a > low, np.minimum(a, a.dtype.type(1)), a.dtype.type(low))


def _sign(a: Array) -> Array:
    signed_one = np.copysign(a.dtype.type(1), a)
    return np.where(np.isnan(a), a.dtype.type(0), np.where(a == 0, a, signed_one))


def _in_double(compute: Compute) -> Compute:
    # The multiplication makes signaling NaN quiet: pow treats them differently.
    return lambda *sources: compute(*(source.astype(np.float64) * 1.0 for source in sources))


def _scaled(compute: Compute, factor: float) -> Compute:
    """Build a trigonometric function of a scaled angle, a float32 as in the C expression."""
    return lambda a: compute((a.astype(np.float64) * factor).astype(np.float32).astype(np.float64))


def _multiply_zero_wins(a: Array, b: Array) -> Array:
    return np.where((a == 0) | (b == 0), a.dtype.type(0), a * b)


def _fma_zero_wins(a: Array, b: Array, c: Array) -> Array:
    return np.where((a == 0) | (b == 0), c + c.dtype.type(0), fused_multiply_add(a, b, c))


def _power_is_undefined(a: Array, b: Array) -> Array:
    """Negative base, zero to a non-positive power, or exp2(log2(a) * b) is NaN although pow is not."""
    lowered = np.exp2(np.log2(a.astype(np.float64)) * b.astype(np.float64))
    return (a < 0) | ((a == 0) & (b <= 0)) | np.isnan(lowered)


def _load_exponent(a: Array, exponent: Array) -> Array:
    """Compute a * 2**exponent; a result that is not normal (infinity, NaN) becomes a zero with a's sign."""
    scaled = np.ldexp(a, exponent)
    return np.where(_is_normal(scaled), scaled, np.copysign(a.dtype.type(0), a))


def _load_exponent_is_undefined(a: Array, exponent: Array) -> Array:
    """GLSL: undefined above 128 for 32 bits; below -126 the result may be flushed, as any denormal one."""
    is_beyond = exponent > np.finfo(a.dtype).maxexp
    return (is_beyond | ~_is_normal(np.ldexp(a, exponent))) & (a != 0)


def _is_normal(a: Array) -> Array:
    return np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny)


def _is_normal_bits(bits: Array, bit_size: int) -> Array:
    """`fisnormal`: test the exponent field of the source's own format, so 16-bit denormals are not normal."""
    exponent_bits, significand_bits = {16: (5, 10), 32: (8, 23), 64: (11, 52)}[bit_size]
    ones = (1 << exponent_bits) - 1
    exponent = (bits >> bits.dtype.type(significand_bits)) & bits.dtype.type(ones)
    return (exponent != 0) & (exponent != ones)


def _significand(a: Array) -> Array:
    return np.where(np.isfinite(a), np.frexp(a)[0], a)


def _significand_is_undefined(a: Array) -> Array:
    """What drivers lower it to takes a denormal for a normal number."""
    return (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny)


def _exponent_is_undefined(a: Array) -> Array:
    return ~np.isfinite(a) | _significand_is_undefined(a)


def _exponent(a: Array) -> Array:
    return np.where(np.isfinite(a), np.frexp(a)[1], np.int32(0))


def _quantize_to_half(a: Array) -> Array:
    too_small = np.abs(a) < _SMALLEST_NORMAL_HALF
    return np.where(too_small, np.copysign(a.dtype.type(0), a), a.astype(np.float16).astype(a.dtype))


def _negate_bits(bits: Array, bit_size: int) -> Array:
    return bits ^ _SIGN[bit_size]


def _absolute_bits(bits: Array, bit_size: int) -> Array:
    return bits & ~_SIGN[bit_size]


def _interpolate(a: Array, b: Array, weight: Array) -> Array:
    return a * (1 - weight) + b * weight


def _truth(compute: Compute) -> Compute:
    """Build logic on floats: any nonzero value is true, and true is 1.0."""
    return lambda *sources: compute(*(source != 0 for source in sources)).astype(sources[0].dtype)


def _sign_bit(name: str, compute: Compute, inverse: tuple[Inverse, ...]) -> AluOperation:
    """Build fneg or fabs, which only change the sign bit, of a NaN too."""
    error = FloatError(rule=pass_on, is_copy=True)
    return AluOperation(name, compute, error, inverse, raw=True, wants_bit_size=True)


def _step(name: str, compute: Compute, inverse: tuple[Inverse, ...] = ()) -> AluOperation:
    """Build an operation that is constant but for jumps."""
    return AluOperation(name, compute, FloatError(jump=lambda x: compute(x[0]), is_step=True), inverse)


def _clamped(name: str, compute: Compute, inverse: tuple[Inverse, ...] = ()) -> AluOperation:
    """Build an operation that decreases with no source."""
    return AluOperation(name, compute, FloatError(rule=monotonic(compute)), inverse)


def _wave(name: str, compute: Compute, factor: float, angle: float) -> AluOperation:
    """Build a sine or cosine of the source times `factor`, about `angle`."""
    error = approximate(wave(angle), wave_own(angle), coarse=coarse_wave_own)
    return AluOperation(name, compute if factor == 1.0 else _scaled(compute, factor), error)


def _solved(*ways: tuple[int, tuple[int, ...], Solve]) -> tuple[Inverse, ...]:
    return tuple(Inverse(source, needs, _without_size(solve)) for source, needs, solve in ways)


def _without_size(solve: Solve) -> Callable[[Any, Any, int], Any]:
    return lambda goal, x, size: solve(goal, x)


_SUM = _solved((0, (1,), lambda goal, x: goal - x[1]), (1, (0,), lambda goal, x: goal - x[0]))
_DIFFERENCE = _solved((0, (1,), lambda goal, x: goal + x[1]), (1, (0,), lambda goal, x: x[0] - goal))
_PRODUCT = _solved((0, (1,), lambda goal, x: goal / x[1]), (1, (0,), lambda goal, x: goal / x[0]))
_FUSED = _solved(
    (0, (1, 2), lambda goal, x: (goal - x[2]) / x[1]),
    (1, (0, 2), lambda goal, x: (goal - x[2]) / x[0]),
    (2, (0, 1), lambda goal, x: goal - x[0] * x[1]),
)
_MULTIPLIED = rounded(product_of_two, is_exact=is_exact_product)
_FUSED_ERROR = rounded(product_and_sum, fused_own)


OPERATIONS: tuple[AluOperation, ...] = (
    _sign_bit("fneg", _negate_bits, _solved((0, (), lambda goal, x: -goal))),
    _sign_bit("fabs", _absolute_bits, same_as(0)),
    _step("fsign", _sign),
    _clamped("fsat", _clamp(0.0), same_as(0)),
    _clamped("fsat_signed", _clamp(-1.0)),
    _clamped("fclamp_pos", lambda a: np.where(a > 0, a, a.dtype.type(0))),
    _step("ftrunc", np.trunc, same_as(0)),
    _step("fceil", np.ceil, same_as(0)),
    _step("ffloor", np.floor, same_as(0)),
    _step("fround_even", np.rint, same_as(0)),
    AluOperation(
        "ffract", lambda a: a - np.floor(a), rounded(pass_on, jump=lambda x: np.floor(x[0])), same_as(0)
    ),
    AluOperation("fquantize2f16", _quantize_to_half, rounded(), is_older_form=True),
    AluOperation(
        "fsqrt",
        np.sqrt,
        rounded(square_root, flushed_own(3)),
        _solved((0, (), lambda goal, x: goal * goal if goal >= 0 else math.nan)),
    ),
    AluOperation(
        "frcp",
        lambda a: 1 / a,
        approximate(reciprocal, flushed_own(2.5)),
        _solved((0, (), lambda goal, x: 1.0 / goal)),
    ),
    AluOperation(
        "frsq",
        lambda a: 1 / np.sqrt(a),
        approximate(inverse_root, flushed_own(2)),
        _solved((0, (), lambda goal, x: 1.0 / (goal * goal) if goal > 0 else math.nan)),
    ),
    AluOperation(
        "fexp2",
        _in_double(np.exp2),
        approximate(exponential, exponential_own),
        _solved((0, (), lambda goal, x: np.log2(goal))),
    ),
    AluOperation(
        "flog2",
        _in_double(np.log2),
        approximate(logarithm, logarithm_own),
        _solved((0, (), lambda goal, x: np.exp2(goal))),
    ),
    replace(
        _wave("fsin", _in_double(np.sin), 1.0, 1.0), inverse=_solved((0, (), lambda goal, x: np.arcsin(goal)))
    ),
    replace(
        _wave("fcos", _in_double(np.cos), 1.0, 1.0), inverse=_solved((0, (), lambda goal, x: np.arccos(goal)))
    ),
    _wave("fsin_amd", np.sin, 6.2831853, 2 * math.pi),
    _wave("fcos_amd", np.cos, 6.2831853, 2 * math.pi),
    _wave("fsin_mdg", np.sin, 3.141592653589793, math.pi),
    _wave("fcos_mdg", np.cos, 3.141592653589793, math.pi),
    _wave("fsin_agx", np.sin, 6.2831853 / 4.0, math.pi / 2),
    AluOperation("frexp_sig", _significand, undefined=_significand_is_undefined),
    AluOperation("frexp_exp", _exponent, undefined=_exponent_is_undefined),
    AluOperation(
        "ldexp", _load_exponent, FloatError(rule=scaled_by_power), undefined=_load_exponent_is_undefined
    ),
    AluOperation("fisfinite", np.isfinite),
    AluOperation("fisfinite32", np.isfinite),
    AluOperation("fisnormal", _is_normal_bits, raw=True, wants_bit_size=True),
    AluOperation("fadd", np.add, rounded(sum_of_errors, is_exact=is_exact_sum, tells_exact_64=True), _SUM),
    AluOperation(
        "fsub",
        np.subtract,
        rounded(sum_of_errors, is_exact=lambda x, r: is_exact_sum([x[0], -x[1]], r), tells_exact_64=True),
        _DIFFERENCE,
    ),
    AluOperation("fmul", np.multiply, _MULTIPLIED, _PRODUCT),
    AluOperation("fmulz", _multiply_zero_wins, _MULTIPLIED, _PRODUCT),
    AluOperation(
        "fdiv",
        np.divide,
        approximate(quotient_error, flushed_own(2.5)),
        _solved((0, (1,), lambda goal, x: goal * x[1])),
    ),
    AluOperation(
        "fmod",
        lambda a, b: a - b * np.floor(a / b),
        approximate(pass_on, jump=lambda x: np.floor(x[0] / x[1])),
    ),
    AluOperation(
        "frem",
        lambda a, b: a - b * np.trunc(a / b),
        approximate(pass_on, jump=lambda x: np.trunc(x[0] / x[1])),
    ),
    AluOperation("fmin", minimum, FloatError(rule=monotonic(np.fmin)), same_as(0, 1)),
    AluOperation("fmax", maximum, FloatError(rule=monotonic(np.fmax)), same_as(0, 1)),
    # Before 2021, for hardware that has them.
    AluOperation(
        "fmin3",
        lambda a, b, c: minimum(minimum(a, b), c),
        FloatError(rule=monotonic(lambda a, b, c: np.fmin(np.fmin(a, b), c))),
        same_as(0, 1, 2),
    ),
    AluOperation(
        "fmax3",
        lambda a, b, c: maximum(maximum(a, b), c),
        FloatError(rule=monotonic(lambda a, b, c: np.fmax(np.fmax(a, b), c))),
        same_as(0, 1, 2),
    ),
    AluOperation(
        "fmed3",
        lambda a, b, c: maximum(minimum(maximum(a, b), c), minimum(a, b)),
        FloatError(rule=monotonic(lambda a, b, c: np.fmax(np.fmin(np.fmax(a, b), c), np.fmin(a, b)))),
        same_as(0, 1, 2),
    ),
    AluOperation(
        "fpow",
        _in_double(np.power),
        approximate(power, power_own),
        _solved((0, (1,), lambda goal, x: np.power(goal, 1.0 / x[1]) if goal > 0 and x[1] else math.nan)),
        undefined=_power_is_undefined,
    ),
    AluOperation("ffma", fused_multiply_add, _FUSED_ERROR, _FUSED),
    AluOperation("ffmaz", _fma_zero_wins, _FUSED_ERROR, _FUSED),
    AluOperation("ffma_weak", fused_multiply_add, _FUSED_ERROR, _FUSED),
    AluOperation("fmad", lambda a, b, c: a * b + c, _FUSED_ERROR),
    AluOperation("fmadz", lambda a, b, c: _multiply_zero_wins(a, b) + c, _FUSED_ERROR),
    AluOperation(
        "flrp",
        _interpolate,
        approximate(mix, mix_own, exact_own=exact_mix_own),
        _solved((2, (0, 1), lambda goal, x: (goal - x[0]) / (x[1] - x[0]))),
    ),
    # Before 2019: logic for hardware without integers.
    AluOperation("fnot", _truth(np.logical_not)),
    AluOperation("fand", _truth(np.logical_and)),
    AluOperation("for", _truth(np.logical_or)),
    AluOperation("fxor", _truth(np.logical_xor)),
)
