"""Integer arithmetic, logic, shifts, multiplication and division.

Semantics are those of Mesa's `nir_opcodes.py`. Where its C expressions are changed by the integer
promotions of C (`uadd_sat`, `iadd_sat`, `isub_sat`, `uadd_carry` below 32 bits), the operation does what its
name says at every size, as the rules of `nir_opt_algebraic` assume.
"""

from functools import partial
from typing import Any

import numpy as np

from nirls.verification.evaluate.alu.float_error import FloatError
from nirls.verification.evaluate.alu.operation import AluOperation, Inverse, same_as
from nirls.verification.evaluate.values.arrays import Array


def integer_limits(dtype: np.dtype[Any], bit_size: int) -> tuple[int, int]:
    """Return the smallest and largest value; a 1-bit signed integer is -1 or 0."""
    if bit_size == 1:
        return (-1, 0) if dtype.kind == "i" else (0, 1)
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def divide(a: Array, b: Array) -> Array:
    """Signed division toward zero; division by zero is 0, and the lowest number by -1 wraps."""
    by_minus_one = b == -1
    divisor = np.where((b == 0) | by_minus_one, b.dtype.type(1), b)
    quotient = (a - np.fmod(a, divisor)) // divisor
    return np.where(by_minus_one, np.negative(a), np.where(b == 0, b.dtype.type(0), quotient))


def remainder(a: Array, b: Array) -> Array:
    """Signed remainder with the sign of the dividend; 0 for a zero divisor."""
    trivial = (b == 0) | (b == -1)
    return np.where(trivial, b.dtype.type(0), np.fmod(a, np.where(trivial, b.dtype.type(1), b)))


def modulo(a: Array, b: Array) -> Array:
    """Signed modulo with the sign of the divisor; 0 for a zero divisor."""
    trivial = (b == 0) | (b == -1)
    return np.where(trivial, b.dtype.type(0), np.remainder(a, np.where(trivial, b.dtype.type(1), b)))


def _has_no_quotient(a: Array, b: Array) -> Array:
    """Mark division by 0, which every API leaves undefined, and the lowest number by -1."""
    return (b == 0) | ((a == np.iinfo(a.dtype).min) & (b == -1))


def _is_by_zero(a: Array, b: Array) -> Array:
    return np.broadcast_to(b == 0, np.broadcast_shapes(a.shape, b.shape))


def _divide_unsigned(a: Array, b: Array) -> Array:
    zero = b.dtype.type(0)
    return np.where(b == 0, zero, a // np.where(b == 0, b.dtype.type(1), b))


def _modulo_unsigned(a: Array, b: Array) -> Array:
    zero = b.dtype.type(0)
    return np.where(b == 0, zero, a % np.where(b == 0, b.dtype.type(1), b))


def multiply_high(a: Array, b: Array) -> Array:
    """Compute the upper half of the product of two integers of one width, signed or unsigned."""
    width = a.dtype.itemsize * 8
    if width < 64:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return (a.astype(wide) * b.astype(wide)) >> wide(width)
    high = _multiply_high_unsigned_64(a.view(np.uint64), b.view(np.uint64))
    if a.dtype.kind == "u":
        return high
    # A negative source reinterpreted as unsigned is 2**64 too large.
    correction = np.where(a < 0, b, 0) + np.where(b < 0, a, 0)
    return high.view(np.int64) - correction


def _multiply_high_unsigned_64(a: Array, b: Array) -> Array:
    low_mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a_low, a_high, b_low, b_high = a & low_mask, a >> half, b & low_mask, b >> half
    crossed = a_high * b_low + ((a_low * b_low) >> half)
    carried = a_low * b_high + (crossed & low_mask)
    return a_high * b_high + (crossed >> half) + (carried >> half)


def _is_no_offset(a: Array, b: Array) -> Array:
    """Whether a product is outside of any variable: negative, or above what a buffer may have."""
    return (multiply_high(a, b) != 0) | (a * b < 0)


def _add_saturated(a: Array, b: Array, bit_size: int) -> Array:
    low, high = integer_limits(a.dtype, bit_size)
    if bit_size < 64:
        return np.clip(a.astype(np.int64) + b.astype(np.int64), low, high)
    total = a + b
    if a.dtype.kind == "u":
        return np.where(total < a, np.uint64(high), total)
    overflowed = ((a ^ total) & (b ^ total)) < 0
    return np.where(overflowed, np.where(a < 0, np.int64(low), np.int64(high)), total)


def _subtract_saturated(a: Array, b: Array, bit_size: int) -> Array:
    low, high = integer_limits(a.dtype, bit_size)
    if bit_size < 64:
        return np.clip(a.astype(np.int64) - b.astype(np.int64), low, high)
    total = a - b
    if a.dtype.kind == "u":
        return np.where(a < b, np.uint64(0), total)
    overflowed = ((a ^ b) & (a ^ total)) < 0
    return np.where(overflowed, np.where(a < 0, np.int64(low), np.int64(high)), total)


def _add_carry(a: Array, b: Array, bit_size: int) -> Array:
    if bit_size == 1:
        return a & b
    return (a + b) < a


def shift_count(count: Array, value: Array) -> Array:
    """Return the effective shift count for `value`: modulo its width (a 1-bit value is shifted as a byte)."""
    return (count & np.uint32(value.dtype.itemsize * 8 - 1)).astype(value.dtype)


def shift_left(value: Array, count: Array) -> Array:
    """`ishl`: the count is taken modulo the width."""
    return value << shift_count(count, value)


def shift_right(value: Array, count: Array) -> Array:
    """`ishr` of signed and `ushr` of unsigned integers: the count is taken modulo the width."""
    return value >> shift_count(count, value)


def _rotate_left(value: Array, count: Array) -> Array:
    return shift_left(value, count) | shift_right(value, np.negative(count))


def _rotate_right(value: Array, count: Array) -> Array:
    return shift_right(value, count) | shift_left(value, np.negative(count))


def sign_extend_24(value: Array) -> Array:
    """Sign-extend the low 24 bits of an int32."""
    return (value << np.int32(8)) >> np.int32(8)


def multiply_24(a: Array, b: Array) -> Array:
    """Multiply the low 24 bits of int32s, sign-extended."""
    return sign_extend_24(a) * sign_extend_24(b)


def loses_bits_24(a: Array, b: Array) -> Array:
    """Whether a product of 24 bits is not the whole one; `nir_opt_algebraic` makes shifts and sums of it."""
    return multiply_24(a, b) != a * b


def _beyond_signed_24(a: Array, b: Array) -> Array:
    return (sign_extend_24(a) != a) | (sign_extend_24(b) != b)


def _beyond_unsigned_24(a: Array, b: Array) -> Array:
    return (a > 0xFFFFFF) | (b > 0xFFFFFF)


def _multiply_2x32_64(a: Array, b: Array, wide: type[np.integer[Any]]) -> Array:
    return a.astype(wide) * b.astype(wide)


_SUM = (
    Inverse(1, (0,), lambda goal, x, size: goal - x[0]),
    Inverse(0, (1,), lambda goal, x, size: goal - x[1]),
)
_DIFFERENCE = (
    Inverse(0, (1,), lambda goal, x, size: goal + x[1]),
    Inverse(1, (0,), lambda goal, x, size: x[0] - goal),
)
_XOR = (
    Inverse(1, (0,), lambda goal, x, size: goal ^ x[0]),
    Inverse(0, (1,), lambda goal, x, size: goal ^ x[1]),
)
_QUOTIENT = (Inverse(0, (1,), lambda goal, x, size: goal // x[1] if x[1] else None),)
_MASKED = (Inverse(0, (1,), lambda goal, x, size: goal), Inverse(1, (0,), lambda goal, x, size: goal))
_SHIFTED_BACK = (Inverse(0, (1,), lambda goal, x, size: goal << x[1] % size),)
_MASK = FloatError(is_mask=True)


def _least_of_three(a: Array, b: Array, c: Array) -> Array:
    return np.minimum(np.minimum(a, b), c)


def _greatest_of_three(a: Array, b: Array, c: Array) -> Array:
    return np.maximum(np.maximum(a, b), c)


def _middle_of_three(a: Array, b: Array, c: Array) -> Array:
    return np.maximum(np.minimum(np.maximum(a, b), c), np.minimum(a, b))


OPERATIONS: tuple[AluOperation, ...] = (
    AluOperation("ineg", np.negative, inverse=(Inverse(0, (), lambda goal, x, size: -goal),)),
    AluOperation("iabs", np.abs, inverse=same_as(0)),
    AluOperation("isign", np.sign),
    AluOperation("inot", np.invert, inverse=(Inverse(0, (), lambda goal, x, size: ~goal),)),
    AluOperation(
        "udiv_aligned_4", lambda a: a >> a.dtype.type(2), undefined=lambda a: (a & a.dtype.type(3)) != 0
    ),
    AluOperation("iadd", np.add, inverse=_SUM),
    AluOperation("isub", np.subtract, inverse=_DIFFERENCE),
    AluOperation("imul", np.multiply, inverse=_QUOTIENT),
    # Address arithmetic: NIR leaves the result undefined when the product overflows.
    AluOperation("amul", np.multiply, undefined=_is_no_offset, inverse=_QUOTIENT),
    AluOperation("idiv", divide, undefined=_has_no_quotient, all_bits=True),
    AluOperation("irem", remainder, undefined=_has_no_quotient, all_bits=True),
    AluOperation("imod", modulo, undefined=_has_no_quotient, all_bits=True),
    AluOperation("udiv", _divide_unsigned, undefined=_is_by_zero, all_bits=True),
    AluOperation("umod", _modulo_unsigned, undefined=_is_by_zero, all_bits=True),
    AluOperation("imin", np.minimum, inverse=same_as(0, 1)),
    AluOperation("imax", np.maximum, inverse=same_as(0, 1)),
    AluOperation("umin", np.minimum, inverse=same_as(0, 1)),
    AluOperation("umax", np.maximum, inverse=same_as(0, 1)),
    AluOperation("iand", np.bitwise_and, error=_MASK, inverse=_MASKED, absorbing=0),
    AluOperation("ior", np.bitwise_or, error=_MASK, absorbing=-1),
    AluOperation("ixor", np.bitwise_xor, error=_MASK, inverse=_XOR),
    AluOperation("imul_high", multiply_high, all_bits=True),
    AluOperation("umul_high", multiply_high, all_bits=True),
    # Average without overflow: the common bits, plus half of the others, rounded down or up.
    AluOperation("ihadd", lambda a, b: (a & b) + ((a ^ b) >> a.dtype.type(1))),
    AluOperation("uhadd", lambda a, b: (a & b) + ((a ^ b) >> a.dtype.type(1))),
    AluOperation("irhadd", lambda a, b: (a | b) - ((a ^ b) >> a.dtype.type(1))),
    AluOperation("urhadd", lambda a, b: (a | b) - ((a ^ b) >> a.dtype.type(1))),
    AluOperation("usub_borrow", np.less),
    AluOperation("uabs_usub", lambda a, b: np.where(b > a, b - a, a - b)),
    AluOperation("uabs_isub", lambda a, b: np.where(b > a, b - a, a - b)),
    AluOperation("iadd_sat", _add_saturated, wants_bit_size=True),
    AluOperation("uadd_sat", _add_saturated, wants_bit_size=True),
    AluOperation("isub_sat", _subtract_saturated, wants_bit_size=True),
    AluOperation("usub_sat", _subtract_saturated, wants_bit_size=True),
    AluOperation("uadd_carry", _add_carry, wants_bit_size=True),
    # Before 2021, for hardware that has them.
    *(AluOperation(name, _least_of_three, inverse=same_as(0, 1, 2)) for name in ("imin3", "umin3")),
    *(AluOperation(name, _greatest_of_three, inverse=same_as(0, 1, 2)) for name in ("imax3", "umax3")),
    *(AluOperation(name, _middle_of_three, inverse=same_as(0, 1, 2)) for name in ("imed3", "umed3")),
    AluOperation("iadd3", lambda a, b, c: a + b + c),
    AluOperation("imad", lambda a, b, c: a * b + c),
    AluOperation("ishl", shift_left, inverse=(Inverse(0, (1,), lambda goal, x, size: goal >> x[1] % size),)),
    AluOperation("ishr", shift_right, inverse=_SHIFTED_BACK),
    AluOperation("ushr", shift_right, inverse=_SHIFTED_BACK),
    AluOperation("urol", _rotate_left),
    AluOperation("uror", _rotate_right),
    AluOperation("imul_2x32_64", partial(_multiply_2x32_64, wide=np.int64), all_bits=True),
    AluOperation("umul_2x32_64", partial(_multiply_2x32_64, wide=np.uint64), all_bits=True),
    AluOperation("umul_low", lambda a, b: (a & 0xFFFF) * (b & 0xFFFF)),
    AluOperation("imul_32x16", lambda a, b: a * b.astype(np.int16).astype(np.int32)),
    AluOperation("umul_32x16", lambda a, b: a * (b & 0xFFFF)),
    AluOperation("imul24", multiply_24, undefined=loses_bits_24, inverse=_QUOTIENT),
    AluOperation("umul_16x16", lambda a, b: (a & 0xFFFF) * (b & 0xFFFF)),
    AluOperation("umul24", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    AluOperation("umad24", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
    # The relaxed forms require 24-bit sources, so hardware may use either multiplier.
    AluOperation("imul24_relaxed", np.multiply, undefined=_beyond_signed_24),
    AluOperation("umul24_relaxed", np.multiply, undefined=_beyond_unsigned_24),
    AluOperation(
        "umad24_relaxed", lambda a, b, c: a * b + c, undefined=lambda a, b, c: _beyond_unsigned_24(a, b)
    ),
)
