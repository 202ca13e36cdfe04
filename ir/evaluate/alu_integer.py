"""Integer arithmetic, logic, shifts, multiplication and division.

Semantics are those of Mesa's `nir_opcodes.py`. Where its C expressions are changed by the integer
promotions of C (`uadd_sat`, `iadd_sat`, `isub_sat`, `uadd_carry` below 32 bits), the operation does what its
name says at every size, as the rules of `nir_opt_algebraic` assume.
"""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from functools import partial
from typing import Any

import numpy as np

from nirls.ir.evaluate.alu_operation import AluOperation, Array, Compute


def integer_limits(dtype: np.dtype[Any], bit_size: int) -> tuple[int, int]:
    """Smallest and largest value; a 1-bit signed integer is -1 or 0."""
    if bit_size == 1:
        return (-1, 0) if dtype.kind == "i" else (0, 1)
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def divide(a: Array, b: Array) -> Array:
    """Signed division toward zero; by zero it is 0, and the lowest number by -1 wraps."""
    by_minus_one = b == -1
    divisor = np.where((b == 0) | by_minus_one, b.dtype.type(1), b)
    quotient = (a - np.fmod(a, divisor)) // divisor
    return np.where(by_minus_one, np.negative(a), np.where(b == 0, b.dtype.type(0), quotient))


def remainder(a: Array, b: Array) -> Array:
    """Signed remainder with the sign of the dividend; by zero it is 0."""
    trivial = (b == 0) | (b == -1)
    return np.where(trivial, b.dtype.type(0), np.fmod(a, np.where(trivial, b.dtype.type(1), b)))


def modulo(a: Array, b: Array) -> Array:
    """Signed modulo with the sign of the divisor; by zero it is 0."""
    trivial = (b == 0) | (b == -1)
    return np.where(trivial, b.dtype.type(0), np.remainder(a, np.where(trivial, b.dtype.type(1), b)))


def _divide_overflows(a: Array, b: Array) -> Array:
    return (a == np.iinfo(a.dtype).min) & (b == -1)


def _divide_unsigned(a: Array, b: Array) -> Array:
    zero = b.dtype.type(0)
    return np.where(b == 0, zero, a // np.where(b == 0, b.dtype.type(1), b))


def _modulo_unsigned(a: Array, b: Array) -> Array:
    zero = b.dtype.type(0)
    return np.where(b == 0, zero, a % np.where(b == 0, b.dtype.type(1), b))


def multiply_high(a: Array, b: Array) -> Array:
    """The upper half of the product of two integers of one width, signed or unsigned."""
    width = a.dtype.itemsize * 8
    if width < 64:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return (a.astype(wide) * b.astype(wide)) >> wide(width)
    high = _multiply_high_unsigned_64(a.view(np.uint64), b.view(np.uint64))
    if a.dtype.kind == "u":
        return high
    # A negative source read as unsigned is 2**64 too large.
    correction = np.where(a < 0, b, 0) + np.where(b < 0, a, 0)
    return high.view(np.int64) - correction


def _multiply_high_unsigned_64(a: Array, b: Array) -> Array:
    low_mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a_low, a_high, b_low, b_high = a & low_mask, a >> half, b & low_mask, b >> half
    crossed = a_high * b_low + ((a_low * b_low) >> half)
    carried = a_low * b_high + (crossed & low_mask)
    return a_high * b_high + (crossed >> half) + (carried >> half)


def _product_overflows(a: Array, b: Array) -> Array:
    product = a * b
    sign = np.where(product < 0, a.dtype.type(-1), a.dtype.type(0))
    return multiply_high(a, b) != sign


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
    """The count that a shift of `value` uses: modulo its width (a 1-bit value is shifted as a byte)."""
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
    """The low 24 bits of an int32, sign extended."""
    return (value << np.int32(8)) >> np.int32(8)


def _beyond_signed_24(a: Array, b: Array) -> Array:
    return (sign_extend_24(a) != a) | (sign_extend_24(b) != b)


def _beyond_unsigned_24(a: Array, b: Array) -> Array:
    return (a > 0xFFFFFF) | (b > 0xFFFFFF)


def _unary(name: str, base: str, compute: Compute) -> AluOperation:
    return AluOperation(name, base, (base,), compute)


def _binary(name: str, base: str, compute: Compute, undefined: Compute | None = None) -> AluOperation:
    return AluOperation(name, base, (base, base), compute, undefined=undefined)


def _ternary(name: str, base: str, compute: Compute, undefined: Compute | None = None) -> AluOperation:
    return AluOperation(name, base, (base, base, base), compute, undefined=undefined)


def _sized(name: str, base: str, compute: Compute) -> AluOperation:
    return AluOperation(name, base, (base, base), compute, wants_bit_size=True)


def _shift(name: str, base: str, compute: Compute) -> AluOperation:
    return AluOperation(name, base, (base, "uint32"), compute)


def _multiply_2x32_64(a: Array, b: Array, wide: type[np.integer[Any]]) -> Array:
    return a.astype(wide) * b.astype(wide)


OPERATIONS: tuple[AluOperation, ...] = (
    _unary("ineg", "int", np.negative),
    _unary("iabs", "int", np.abs),
    _unary("isign", "int", np.sign),
    _unary("inot", "int", np.invert),
    AluOperation(
        "udiv_aligned_4",
        "uint",
        ("uint",),
        lambda a: a >> a.dtype.type(2),
        undefined=lambda a: (a & a.dtype.type(3)) != 0,
    ),
    _binary("iadd", "int", np.add),
    _binary("isub", "int", np.subtract),
    _binary("imul", "int", np.multiply),
    # Address arithmetic: NIR leaves the result open when the product overflows.
    _binary("amul", "int", np.multiply, _product_overflows),
    _binary("idiv", "int", divide, _divide_overflows),
    _binary("irem", "int", remainder, _divide_overflows),
    _binary("imod", "int", modulo, _divide_overflows),
    _binary("udiv", "uint", _divide_unsigned),
    _binary("umod", "uint", _modulo_unsigned),
    _binary("imin", "int", np.minimum),
    _binary("imax", "int", np.maximum),
    _binary("umin", "uint", np.minimum),
    _binary("umax", "uint", np.maximum),
    _binary("iand", "uint", np.bitwise_and),
    _binary("ior", "uint", np.bitwise_or),
    _binary("ixor", "uint", np.bitwise_xor),
    _binary("imul_high", "int", multiply_high),
    _binary("umul_high", "uint", multiply_high),
    # Average without overflow: the common bits, plus half of the others, rounded down or up.
    _binary("ihadd", "int", lambda a, b: (a & b) + ((a ^ b) >> a.dtype.type(1))),
    _binary("uhadd", "uint", lambda a, b: (a & b) + ((a ^ b) >> a.dtype.type(1))),
    _binary("irhadd", "int", lambda a, b: (a | b) - ((a ^ b) >> a.dtype.type(1))),
    _binary("urhadd", "uint", lambda a, b: (a | b) - ((a ^ b) >> a.dtype.type(1))),
    _binary("usub_borrow", "uint", np.less),
    _binary("uabs_usub", "uint", lambda a, b: np.where(b > a, b - a, a - b)),
    AluOperation("uabs_isub", "uint", ("int", "int"), lambda a, b: np.where(b > a, b - a, a - b)),
    _sized("iadd_sat", "int", _add_saturated),
    _sized("uadd_sat", "uint", _add_saturated),
    _sized("isub_sat", "int", _subtract_saturated),
    _sized("usub_sat", "uint", _subtract_saturated),
    _sized("uadd_carry", "uint", _add_carry),
    _ternary("iadd3", "int", lambda a, b, c: a + b + c),
    _ternary("imad", "int", lambda a, b, c: a * b + c),
    _shift("ishl", "int", shift_left),
    _shift("ishr", "int", shift_right),
    _shift("ushr", "uint", shift_right),
    _shift("urol", "uint", _rotate_left),
    _shift("uror", "uint", _rotate_right),
    AluOperation("imul_2x32_64", "int64", ("int32", "int32"), partial(_multiply_2x32_64, wide=np.int64)),
    AluOperation("umul_2x32_64", "uint64", ("uint32", "uint32"), partial(_multiply_2x32_64, wide=np.uint64)),
    _binary("umul_low", "uint32", lambda a, b: (a & 0xFFFF) * (b & 0xFFFF)),
    _binary("imul_32x16", "int32", lambda a, b: a * b.astype(np.int16).astype(np.int32)),
    _binary("umul_32x16", "uint32", lambda a, b: a * (b & 0xFFFF)),
    _binary("imul24", "int32", lambda a, b: sign_extend_24(a) * sign_extend_24(b)),
    _binary("umul24", "int32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    _ternary("umad24", "uint32", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
    # The relaxed forms promise sources of 24 bits, so hardware may use either multiplier.
    _binary("imul24_relaxed", "int32", np.multiply, _beyond_signed_24),
    _binary("umul24_relaxed", "uint32", np.multiply, _beyond_unsigned_24),
    _ternary(
        "umad24_relaxed", "uint32", lambda a, b, c: a * b + c, lambda a, b, c: _beyond_unsigned_24(a, b)
    ),
)
