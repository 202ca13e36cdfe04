"""What every ALU opcode computes, one element at a time, in plain Python.

The independent side of the evaluator's tests: integers are Python integers (wrapped by the caller), floats
are computed by `exact_float`. A reference gets the bit size of the unsized types and one argument a source: a
number or a boolean for a per-component source, a tuple for a vector. Vector results are tuples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.verification.evaluate.alu.exact_float import (
    Arithmetic,
    bits_of_float,
    convert,
    float_of_bits,
    nearest,
)

Compute = Callable[..., Any]


@dataclass(frozen=True)
class Reference:
    """`raw`: arguments and results are raw bits. `ulps`: how far the last bits of a float may differ."""

    compute: Compute
    raw: bool = False
    ulps: int = 0


REFERENCES: dict[str, Reference] = {}


def define(name: str, compute: Compute, *, raw: bool = False, ulps: int = 0) -> None:
    assert name not in REFERENCES, name
    REFERENCES[name] = Reference(compute, raw, ulps)


def limits(bits: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def clamp(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def sign_extend(value: int, bits: int) -> int:
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def fields(value: int, bits: int, signed: bool = False, count: int = 0) -> list[int]:
    parts = [(value >> shift) & ((1 << bits) - 1) for shift in range(0, bits * (count or 32 // bits), bits)]
    return [sign_extend(part, bits) for part in parts] if signed else parts


def join(parts: list[int], bits: int) -> int:
    return sum((part & ((1 << bits) - 1)) << (bits * index) for index, part in enumerate(parts))


def truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


# Integers

define("ineg", lambda n, a: -a)
define("iabs", lambda n, a: abs(a))
define("isign", lambda n, a: (a > 0) - (a < 0))
define("inot", lambda n, a: ~a)
define("udiv_aligned_4", lambda n, a: a // 4)
define("iadd", lambda n, a, b: a + b)
define("isub", lambda n, a, b: a - b)
define("imul", lambda n, a, b: a * b)
define("amul", lambda n, a, b: a * b)
define("idiv", lambda n, a, b: 0 if b == 0 else truncated_quotient(a, b))
define("irem", lambda n, a, b: 0 if b == 0 else a - b * truncated_quotient(a, b))
define("imod", lambda n, a, b: 0 if b == 0 else a % b)
define("udiv", lambda n, a, b: 0 if b == 0 else a // b)
define("umod", lambda n, a, b: 0 if b == 0 else a % b)
for prefix in "iu":
    define(f"{prefix}min", lambda n, a, b: min(a, b))
    define(f"{prefix}max", lambda n, a, b: max(a, b))
    define(f"{prefix}hadd", lambda n, a, b: (a + b) >> 1)
    define(f"{prefix}rhadd", lambda n, a, b: (a + b + 1) >> 1)
    define(f"{prefix}mul_high", lambda n, a, b: (a * b) >> n)
    define(f"{prefix}mul_2x32_64", lambda n, a, b: a * b)
    define(f"{prefix}mul24_relaxed", lambda n, a, b: a * b)
define("iand", lambda n, a, b: a & b)
define("ior", lambda n, a, b: a | b)
define("ixor", lambda n, a, b: a ^ b)
define("iadd_sat", lambda n, a, b: clamp(a + b, *limits(n, True)))
define("uadd_sat", lambda n, a, b: clamp(a + b, *limits(n, False)))
define("isub_sat", lambda n, a, b: clamp(a - b, *limits(n, True)))
define("usub_sat", lambda n, a, b: clamp(a - b, *limits(n, False)))
define("uadd_carry", lambda n, a, b: (a + b) >> n)
define("usub_borrow", lambda n, a, b: int(a < b))
define("uabs_isub", lambda n, a, b: abs(a - b))
define("uabs_usub", lambda n, a, b: abs(a - b))
for sign in "iu":
    define(f"{sign}min3", lambda n, *numbers: min(numbers))
    define(f"{sign}max3", lambda n, *numbers: max(numbers))
    define(f"{sign}med3", lambda n, *numbers: sorted(numbers)[1])
define("iadd3", lambda n, a, b, c: a + b + c)
define("imad", lambda n, a, b, c: a * b + c)
define("umul_low", lambda n, a, b: (a % 65536) * (b % 65536))
define("imul_32x16", lambda n, a, b: a * sign_extend(b, 16))
define("umul_32x16", lambda n, a, b: a * (b % 65536))
define("umul_16x16", lambda n, a, b: (a % 65536) * (b % 65536))
define("imul24", lambda n, a, b: sign_extend(a, 24) * sign_extend(b, 24))
define("umul24", lambda n, a, b: (a % 2**24) * (b % 2**24))
define("umad24", lambda n, a, b, c: (a % 2**24) * (b % 2**24) + c)
define("umad24_relaxed", lambda n, a, b, c: a * b + c)
define("imad24_ir3", lambda n, a, b, c: sign_extend(a, 24) * sign_extend(b, 24) + c)
define("imadsh_mix16", lambda n, a, b, c: (((a % 65536) * ((b >> 16) % 65536)) << 16) + c)


def width(n: int) -> int:
    """Shifts of 1-bit values are shifts of bytes."""
    return max(n, 8)


def rotate_left(n: int, a: int, count: int) -> int:
    size, count = width(n), count % width(n)
    return ((a << count) | (a >> (size - count))) & ((1 << size) - 1)


define("ishl", lambda n, a, b: a << (b % width(n)))
define("ishr", lambda n, a, b: a >> (b % width(n)))
define("ushr", lambda n, a, b: a >> (b % width(n)))
define("urol", rotate_left)
define("uror", lambda n, a, b: rotate_left(n, a, -b))
define("shlm_ir3", lambda n, a, b, c: (a << (b % width(n))) & c)
define("shlg_ir3", lambda n, a, b, c: (a << (b % width(n))) | c)
define("shrm_ir3", lambda n, a, b, c: (a >> (b % width(n))) & c)
define("shrg_ir3", lambda n, a, b, c: (a >> (b % width(n))) | c)
define("andg_ir3", lambda n, a, b, c: (a & b) | c)
define("imadshl_agx", lambda n, a, b, c, d: a * b + (c << (d % width(n))))
define("imsubshl_agx", lambda n, a, b, c, d: a * b - (c << (d % width(n))))
define("ilea_agx", lambda n, a, b, c: a + (b << (c % 64)))
define("ulea_agx", lambda n, a, b, c: a + (b << (c % 64)))
define("bounds_agx", lambda n, a, b, c: a if b <= c else 0)
define("shfr", lambda n, a, b, c: ((a << 32) | b) >> (c % 32))
define("alignbyte_amd", lambda n, a, b, c: ((a << 32) | b) >> (8 * (c % 4)))
define("extr_agx", lambda n, a, b, c, d: (((b << 32) | a) >> (c % 128)) % (1 << (d if 0 < d < 32 else 32)))


def permute(n: int, selector: int, low: int, high: int) -> int:
    source = list(low.to_bytes(4, "little") + high.to_bytes(4, "little"))
    chosen = []
    for nibble in fields(selector, 4)[:4]:
        byte = source[nibble % 8]
        chosen.append(byte if nibble < 8 else 0xFF * (byte >> 7))
    return join(chosen, 8)


define("prmt_nv", permute)
define(
    "interleave_agx",
    lambda n, a, b: int("".join(y + x for x, y in zip(f"{a:016b}", f"{b:016b}", strict=True)), 2),
)

# Bits


def highest(value: int) -> int:
    return value.bit_length() - 1


def reversed_index(found: int, n: int) -> int:
    return -1 if found < 0 else n - 1 - found


define("bit_count", lambda n, a: bin(a).count("1"))
define("bitfield_reverse", lambda n, a: int(f"{a:032b}"[::-1], 2))
define("ufind_msb", lambda n, a: highest(a))
define("ufind_msb_rev", lambda n, a: reversed_index(highest(a), n))
define("ifind_msb", lambda n, a: highest(~a if a < 0 else a))
define("ifind_msb_rev", lambda n, a: reversed_index(highest(~a if a < 0 else a), 32))
define("uclz", lambda n, a: 32 - a.bit_length())
define("find_lsb", lambda n, a: -1 if a == 0 else f"{a % 2**64:064b}"[::-1].index("1"))
define("bitfield_select", lambda n, a, b, c: (a & b) | (~a & c))
define("bfm", lambda n, a, b: ((1 << (a % 32)) - 1) << (b % 32))


def insert_by_mask(n: int, mask: int, insert: int, base: int) -> int:
    if mask == 0:
        return base
    first = f"{mask:032b}"[::-1].index("1")
    return (base & ~mask) | ((insert << first) & mask)


def extract_modulo(signed: bool) -> Compute:
    def compute(n: int, base: int, offset: int, bits: int) -> int:
        offset, bits = offset % 32, bits % 32
        if bits == 0:
            return 0
        text = f"{base % 2**32:032b}"[::-1][offset : offset + bits][::-1]
        return sign_extend(int(text, 2), len(text)) if signed else int(text, 2)

    return compute


def extract_checked(signed: bool) -> Compute:
    def compute(n: int, base: int, offset: int, bits: int) -> int:
        if bits <= 0 or offset < 0 or offset + bits > 32:
            return 0
        return int(extract_modulo(signed)(n, base, offset, bits)) if bits < 32 else base

    return compute


def insert_checked(n: int, base: int, insert: int, offset: int, bits: int) -> int:
    if bits == 0:
        return base
    if offset < 0 or bits < 0 or offset + bits > 32:
        return 0
    text, new = list(f"{base:032b}"[::-1]), f"{insert:032b}"[::-1]
    text[offset : offset + bits] = new[:bits]
    return int("".join(text)[::-1], 2)


define("bfi", insert_by_mask)
define("ubfe", extract_modulo(False))
define("ibfe", extract_modulo(True))
define("ubitfield_extract", extract_checked(False))
define("ibitfield_extract", extract_checked(True))
define("bitfield_insert", insert_checked)


def chunk(n: int, value: int, index: int, bits: int) -> int:
    chunks = max(width(n) // bits, 1)
    return value >> ((index % chunks) * bits)


def insert_chunk(n: int, value: int, index: int, bits: int) -> int:
    chunks = max(width(n) // bits, 1)
    return (value % 2**bits) << ((index % chunks) * bits)


for size in (8, 16):
    define(f"extract_u{size}", lambda n, a, b, size=size: chunk(n, a, b, size) % 2**size)
    define(f"extract_i{size}", lambda n, a, b, size=size: sign_extend(chunk(n, a, b, size), size))
    define(f"insert_u{size}", lambda n, a, b, size=size: insert_chunk(n, a, b, size))

# Floats


def working(n: int) -> Arithmetic:
    """16-bit floats are computed as 32-bit ones."""
    return Arithmetic(64 if n == 64 else 32)


def float_minimum(n: int, a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b == 0:
        return -0.0 if math.copysign(1, a) < 0 or math.copysign(1, b) < 0 else 0.0
    return min(a, b)


def float_maximum(n: int, a: float, b: float) -> float:
    return -float_minimum(n, -a, -b)


def whole(function: Callable[[float], int]) -> Compute:
    def compute(n: int, a: float) -> float:
        return math.copysign(float(function(a)), a) if math.isfinite(a) else a

    return compute


def clamped(low: float) -> Compute:
    return lambda n, a: float_minimum(n, float_maximum(n, a, low), 1.0)


def modulus(rounding: Callable[[float], int]) -> Compute:
    def compute(n: int, a: float, b: float) -> float:
        using = working(n)
        quotient = whole(rounding)(n, using.divide(a, b))
        return using.subtract(a, using.multiply(b, quotient))

    return compute


def interpolate(n: int, a: float, b: float, weight: float) -> float:
    using = working(n)
    return using.add(using.multiply(a, using.subtract(1.0, weight)), using.multiply(b, weight))


def quantize(n: int, a: float) -> float:
    return math.copysign(0.0, a) if abs(a) < 2.0**-14 else convert(a, 16)


def load_exponent(n: int, a: float, exponent: int) -> float:
    size = working(n).size
    smallest, largest = (
        (2.0**-126, float_of_bits(0x7F7FFFFF, 32)) if size == 32 else (2.0**-1022, 1.7976931348623157e308)
    )
    if math.isfinite(a) and a != 0:
        exact = Fraction(a) * Fraction(2) ** clamp(exponent, -3000, 3000)
        if smallest <= abs(exact) <= largest:
            return nearest(exact, size)
    return math.copysign(0.0, a)


def sign_of(n: int, a: float) -> float:
    if math.isnan(a):
        return 0.0
    return a if a == 0 else math.copysign(1.0, a)


define("fadd", lambda n, a, b: Arithmetic(n).add(a, b))
define("fsub", lambda n, a, b: Arithmetic(n).subtract(a, b))
define("fmul", lambda n, a, b: Arithmetic(n).multiply(a, b))
define("fdiv", lambda n, a, b: Arithmetic(n).divide(a, b))
define("fmulz", lambda n, a, b: 0.0 if a == 0 or b == 0 else Arithmetic(32).multiply(a, b))
define("ffma", lambda n, a, b, c: Arithmetic(n).multiply_add(a, b, c))
define("ffmaz", lambda n, a, b, c: 0.0 + c if a == 0 or b == 0 else Arithmetic(32).multiply_add(a, b, c))
define("ffma_weak", lambda n, a, b, c: Arithmetic(n).multiply_add(a, b, c))


def multiply_then_add(n: int, a: float, b: float, c: float) -> float:
    """Round the product and the sum, to 32 bits for 16-bit sources, whose result is rounded once more."""
    wide = Arithmetic(max(n, 32))
    return Arithmetic(n).multiply(wide.add(wide.multiply(a, b), c), 1.0)


define("fmad", multiply_then_add)
define("fmadz", lambda n, a, b, c: 0.0 + c if a == 0 or b == 0 else multiply_then_add(32, a, b, c))
define("fsqrt", lambda n, a: Arithmetic(n).square_root(a))
define("frcp", lambda n, a: Arithmetic(n).divide(1.0, a))
define("frsq", lambda n, a: working(n).divide(1.0, working(n).square_root(a)))
define("fneg", lambda n, a: a ^ (1 << (n - 1)), raw=True)
define("fabs", lambda n, a: a & ((1 << (n - 1)) - 1), raw=True)
define("fsign", sign_of)
define("fsat", clamped(0.0))
define("fsat_signed", clamped(-1.0))
define("fclamp_pos", lambda n, a: float_maximum(n, a, 0.0))
define("ftrunc", whole(math.trunc))
define("fceil", whole(math.ceil))
define("ffloor", whole(math.floor))
define("fround_even", whole(round))
define("ffract", lambda n, a: working(n).subtract(a, whole(math.floor)(n, a)))
define("fquantize2f16", quantize)
define("fmod", modulus(math.floor))
define("frem", modulus(math.trunc))
define("fmin", float_minimum)
define("fmax", float_maximum)
define("fmin3", lambda n, a, b, c: float_minimum(n, float_minimum(n, a, b), c))
define("fmax3", lambda n, a, b, c: float_maximum(n, float_maximum(n, a, b), c))
define(
    "fmed3",
    lambda n, a, b, c: float_maximum(n, float_minimum(n, float_maximum(n, a, b), c), float_minimum(n, a, b)),
)
define("flrp", interpolate)
define("ldexp", load_exponent)
define("frexp_sig", lambda n, a: math.frexp(a)[0])
define("frexp_exp", lambda n, a: math.frexp(a)[1] if math.isfinite(a) else 0)
define("fisfinite", lambda n, a: math.isfinite(a))
define("fisfinite32", lambda n, a: math.isfinite(a))
define(
    "fisnormal", lambda n, a: math.isfinite(a) and abs(a) >= {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}[n]
)
define("fnot", lambda n, a: float(a == 0))
define("fand", lambda n, a, b: float(a != 0 and b != 0))
define("for", lambda n, a, b: float(a != 0 or b != 0))
define("fxor", lambda n, a, b: float((a != 0) != (b != 0)))
define("fmin_agx", lambda n, a, b: a if pick_first(a, b, smaller=True) else b, raw=True)
define("fmax_agx", lambda n, a, b: a if pick_first(a, b, smaller=False) else b, raw=True)


def pick_first(a: int, b: int, smaller: bool) -> bool:
    left, right = float_of_bits(a, 32), float_of_bits(b, 32)
    return math.isnan(right) or (left < right if smaller else left > right)


def exponential(a: float) -> float:
    if math.isnan(a):
        return a
    return math.inf if a >= 1024 else math.exp2(a)


def logarithm(a: float) -> float:
    if math.isnan(a) or a < 0:
        return math.nan
    return -math.inf if a == 0 else math.log2(a)


def power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == math.floor(b) and math.fmod(b, 2) != 0
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        if a == 0:
            odd = b == math.floor(b) and math.fmod(b, 2) != 0
            return math.copysign(math.inf, a) if odd else math.inf
        return math.nan


def trigonometric(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda a: function(a) if math.isfinite(a) else math.nan


def approximate(name: str, function: Callable[..., float]) -> None:
    define(name, lambda n, *sources: convert(function(*sources), n), ulps=1)


def approximate_scaled(name: str, function: Callable[[float], float], factor: float) -> None:
    def compute(n: int, a: float) -> float:
        # The scaled angle is a product of doubles, stored as a float32.
        return convert(trigonometric(function)(convert(a * factor, 32)), n)

    define(name, compute, ulps=1)


approximate("fexp2", exponential)
approximate("flog2", logarithm)
approximate("fpow", power)
approximate("fsin", trigonometric(math.sin))
approximate("fcos", trigonometric(math.cos))
for suffix, factor in (("amd", 6.2831853), ("mdg", 3.141592653589793)):
    approximate_scaled(f"fsin_{suffix}", math.sin, factor)
    approximate_scaled(f"fcos_{suffix}", math.cos, factor)
approximate_scaled("fsin_agx", math.sin, 6.2831853 / 4.0)

# Comparisons and selections


def unordered(a: float, b: float) -> bool:
    return math.isnan(a) or math.isnan(b)


COMPARISONS: dict[str, Compute] = {
    "flt": lambda n, a, b: a < b,
    "fge": lambda n, a, b: a >= b,
    "feq": lambda n, a, b: a == b,
    "fneu": lambda n, a, b: a != b,
    "fltu": lambda n, a, b: not a >= b,
    "fgeu": lambda n, a, b: not a < b,
    "fequ": lambda n, a, b: unordered(a, b) or a == b,
    "fneo": lambda n, a, b: a < b or a > b,
    "funord": lambda n, a, b: unordered(a, b),
    "ford": lambda n, a, b: a < b or a >= b,
    "ilt": lambda n, a, b: a < b,
    "ige": lambda n, a, b: a >= b,
    "ieq": lambda n, a, b: a == b,
    "ine": lambda n, a, b: a != b,
    "ult": lambda n, a, b: a < b,
    "uge": lambda n, a, b: a >= b,
    "bitnz": lambda n, a, b: bool((a >> (b % n)) & 1),
    "bitz": lambda n, a, b: not (a >> (b % n)) & 1,
}
for name, compare in COMPARISONS.items():
    for suffix in ("", "8", "16", "32"):
        define(name + suffix, compare)
define("slt", lambda n, a, b: float(a < b))
define("sge", lambda n, a, b: float(a >= b))
define("seq", lambda n, a, b: float(a == b))
define("sne", lambda n, a, b: float(a != b))
for name in ("bcsel", "b8csel", "b16csel", "b32csel", "b32fcsel_mdg"):
    define(name, lambda n, a, b, c: b if a else c, raw=True)
define("icsel_eqz", lambda n, a, b, c: b if a == 0 else c)
define("i32csel_gt", lambda n, a, b, c: b if a > 0 else c)
define("i32csel_ge", lambda n, a, b, c: b if a >= 0 else c)
define("fcsel", lambda n, a, b, c: b if float_of_bits(a, 32) != 0 else c, raw=True)
define("fcsel_gt", lambda n, a, b, c: b if float_of_bits(a, 32) > 0 else c, raw=True)
define("fcsel_ge", lambda n, a, b, c: b if float_of_bits(a, 32) >= 0 else c, raw=True)

# Conversions


def float_to_integer(bits: int, signed: bool) -> Compute:
    low, high = limits(max(bits, 8), signed)

    def compute(n: int, a: float) -> int:
        if math.isnan(a):
            return 0
        return clamp(int(a), low, high) if math.isfinite(a) else (high if a > 0 else low)

    return compute


for size in (16, 32, 64):
    define(f"f2f{size}", lambda n, a, size=size: convert(a, size))
    define(f"i2f{size}", lambda n, a, size=size: nearest(Fraction(a), size))
    define(f"u2f{size}", lambda n, a, size=size: nearest(Fraction(a), size))
    define(f"b2f{size}", lambda n, a: float(a))
define("f2f16_rtne", lambda n, a: convert(a, 16))
define("f2f16_rtz", lambda n, a: convert(a, 16, toward_zero=True))
for size in (1, 8, 16, 32, 64):
    define(f"f2i{size}", float_to_integer(size, True))
    define(f"f2u{size}", float_to_integer(size, False))
    define(f"i2i{size}", lambda n, a: a)
    define(f"u2u{size}", lambda n, a: a)
    define(f"b2i{size}", lambda n, a: int(a))
for size in (1, 8, 16, 32):
    define(f"f2b{size}", lambda n, a: a != 0)
    define(f"i2b{size}", lambda n, a: a != 0)
    define(f"b2b{size}", lambda n, a: a)
define("f2fmp", lambda n, a: convert(a, 16))
define("i2fmp", lambda n, a: nearest(Fraction(a), 16))
define("u2fmp", lambda n, a: nearest(Fraction(a), 16))
define("i2imp", lambda n, a: a)
define("f2imp", float_to_integer(16, True))
define("f2ump", float_to_integer(16, False))

# Packing


def to_normalized(value: float, scale: int, low: float) -> int:
    single = convert(value, 32)
    inside = low if math.isnan(single) else max(low, min(1.0, single))
    return round(Fraction(Arithmetic(32).multiply(inside, float(scale))))


def pack_normalized(bits: int, scale: int, low: float) -> Compute:
    return lambda n, a: (join([to_normalized(value, scale, low) for value in a], bits),)


for bits, count in ((16, 2), (8, 4)):
    name = f"{count}x{bits}"
    unsigned_scale, signed_scale = 2**bits - 1, 2 ** (bits - 1) - 1
    define(f"pack_unorm_{name}", pack_normalized(bits, unsigned_scale, 0.0))
    define(f"pack_snorm_{name}", pack_normalized(bits, signed_scale, -1.0))
    define(
        f"unpack_unorm_{name}",
        lambda n, a, bits=bits, scale=unsigned_scale: tuple(
            nearest(Fraction(part, scale), 32) for part in fields(a[0], bits)
        ),
    )
    define(
        f"unpack_snorm_{name}",
        lambda n, a, bits=bits, scale=signed_scale: tuple(
            max(-1.0, nearest(Fraction(part, scale), 32)) for part in fields(a[0], bits, signed=True)
        ),
    )
for name, bits in (
    ("32_4x8", 8),
    ("32_2x16", 16),
    ("64_2x32", 32),
    ("64_4x16", 16),
    ("double_2x32_dxil", 32),
):
    count = int(name.rsplit("_", 2 if name.endswith("dxil") else 1)[1].split("x")[0])
    define(f"pack_{name}", lambda n, a, bits=bits: (join(list(a), bits),))
    define(f"unpack_{name}", lambda n, a, bits=bits, count=count: tuple(fields(a[0], bits, count=count)))
for name, bits in (("32_4x8", 8), ("32_2x16", 16), ("64_2x32", 32)):
    define(f"pack_{name}_split", lambda n, *sources, bits=bits: join(list(sources), bits))
define("unpack_32_2x16_split_x", lambda n, a: a % 2**16)
define("unpack_32_2x16_split_y", lambda n, a: a // 2**16)
define("unpack_64_2x32_split_x", lambda n, a: a % 2**32)
define("unpack_64_2x32_split_y", lambda n, a: a // 2**32)


def half(value: float, toward_zero: bool = False) -> int:
    return bits_of_float(convert(value, 16, toward_zero), 16)


def unpacked_half(bits: int, flush: bool = False) -> float:
    value = float_of_bits(bits, 16)
    return math.copysign(0.0, value) if flush and abs(value) < 2.0**-14 else value


define("pack_half_2x16", lambda n, a: (half(a[0]) | (half(a[1]) << 16),))
define("pack_half_2x16_split", lambda n, a, b: (half(a[0]) | (half(b[0]) << 16),))
define("pack_half_2x16_rtz_split", lambda n, a, b: (half(a[0], True) | (half(b[0], True) << 16),))
for suffix, flush in (("", False), ("_flush_to_zero", True)):
    define(
        f"unpack_half_2x16{suffix}",
        lambda n, a, flush=flush: tuple(unpacked_half(part, flush) for part in fields(a[0], 16)),
    )
    define(f"unpack_half_2x16_split_x{suffix}", lambda n, a, flush=flush: unpacked_half(a % 65536, flush))
    define(f"unpack_half_2x16_split_y{suffix}", lambda n, a, flush=flush: unpacked_half(a // 65536, flush))
define("pack_uint_2x16", lambda n, a: (join([min(value, 0xFFFF) for value in a], 16),))
define("pack_sint_2x16", lambda n, a: (join([clamp(value, -32768, 32767) for value in a], 16),))
define("pack_uvec2_to_uint", lambda n, a: (join(list(a), 16),))
define("pack_uvec4_to_uint", lambda n, a: (a[0] | (a[1] << 8) | (a[2] << 16) | (a[3] << 24),))


def dot(bits: int, left: bool, right: bool, saturate: bool) -> Compute:
    def compute(n: int, a: int, b: int, c: int) -> int:
        pairs = zip(fields(a, bits, left), fields(b, bits, right), strict=True)
        addend = c if left else c % 2**32
        total = sum(x * y for x, y in pairs) + addend
        return clamp(total, *limits(32, left)) if saturate else total

    return compute


for suffix, saturate in (("", False), ("_sat", True)):
    define(f"sdot_4x8_iadd{suffix}", dot(8, True, True, saturate))
    define(f"udot_4x8_uadd{suffix}", dot(8, False, False, saturate))
    define(f"sudot_4x8_iadd{suffix}", dot(8, True, False, saturate))
    define(f"sdot_2x16_iadd{suffix}", dot(16, True, True, saturate))
    define(f"udot_2x16_uadd{suffix}", dot(16, False, False, saturate))


def masked_differences(reference: int, source: int, addend: int) -> int:
    pairs = zip(fields(reference, 8), fields(source, 8), strict=True)
    return addend + sum(abs(x - y) for x, y in pairs if x)


define(
    "sad_u8x4",
    lambda n, a, b, c: (
        sum(abs(x - y) for x, y in zip(fields(a[0], 8), fields(b[0], 8), strict=True)) + c[0],
    ),
)
define("msad_4x8", lambda n, a, b, c: masked_differences(a, b, c))
define(
    "mqsad_4x8",
    lambda n, a, b, c: tuple(
        masked_differences(a[0], (((b[1] << 32) | b[0]) >> (8 * row)) % 2**32, c[row]) for row in range(4)
    ),
)

# Vectors

define("mov", lambda n, a: a, raw=True)


def dot_product(n: int, a: tuple[float, ...], b: tuple[float, ...]) -> float:
    using = working(n)
    return add_up(using, [using.multiply(x, y) for x, y in zip(a, b, strict=True)])


def add_up(using: Arithmetic, terms: list[float]) -> float:
    """Neighbours first, then pairs of sums; three as (z + y) + x; five as w5 + the sum of four."""
    if len(terms) == 3:
        return using.add(using.add(terms[2], terms[1]), terms[0])
    if len(terms) == 5:
        return using.add(terms[4], add_up(using, terms[:4]))
    while len(terms) > 1:
        terms = [using.add(terms[index + 1], terms[index]) for index in range(0, len(terms), 2)]
    return terms[0]


def homogeneous(n: int, a: tuple[float, ...], b: tuple[float, ...]) -> float:
    using = working(n)
    x, y, z = (using.multiply(left, right) for left, right in zip(a, b[:3], strict=True))
    return using.add(using.add(using.add(x, y), z), b[3])


def add_from_the_left(n: int, a: tuple[float, ...]) -> float:
    using = working(n)
    if len(a) == 4:
        return using.add(using.add(a[0], a[1]), using.add(a[2], a[3]))
    total = using.add(a[0], a[1])
    return using.add(total, a[2]) if len(a) == 3 else total


for size in (2, 3, 4, 5, 8, 16):
    define(f"vec{size}", lambda n, *sources: tuple(source[0] for source in sources), raw=True)
    for prefix in ("b", "b8", "b16", "b32"):
        for kind in "fi":
            define(f"{prefix}all_{kind}equal{size}", lambda n, a, b: (all(map(lambda x, y: x == y, a, b)),))
            define(f"{prefix}any_{kind}nequal{size}", lambda n, a, b: (any(map(lambda x, y: x != y, a, b)),))
    define(f"fall_equal{size}", lambda n, a, b: (float(all(map(lambda x, y: x == y, a, b))),))
    define(f"fany_nequal{size}", lambda n, a, b: (float(any(map(lambda x, y: x != y, a, b))),))
    define(f"fdot{size}", lambda n, a, b: (dot_product(n, a, b),))
    define(f"fdot{size}_replicated", dot_product)
define("fdph", lambda n, a, b: (homogeneous(n, a, b),))
define("fdph_replicated", homogeneous)
for size in (2, 3, 4):
    define(f"fsum{size}", lambda n, a: (add_from_the_left(n, a),))

# Single drivers


def bytewise(combine: Callable[[int, int], int]) -> Compute:
    return lambda n, a, b: join([combine(x, y) for x, y in zip(fields(a, 8), fields(b, 8), strict=True)], 8)


define("usadd_4x8_vc4", bytewise(lambda x, y: min(x + y, 255)))
define("ussub_4x8_vc4", bytewise(lambda x, y: max(x - y, 0)))
define("umin_4x8_vc4", bytewise(min))
define("umax_4x8_vc4", bytewise(max))
define("umul_unorm_4x8_vc4", bytewise(lambda x, y: x * y // 255))


def cube_face(direction: tuple[float, ...]) -> tuple[float, float, float, float]:
    """(s, t, twice the major axis, face); later axes win ties."""
    x, y, z = direction
    result = (0.0, 0.0, 0.0, 0.0)
    candidates = (
        (x, y, z, (-z, -y, 0.0) if x >= 0 else (z, -y, 1.0)),
        (y, x, z, (x, z, 2.0) if y >= 0 else (x, -z, 3.0)),
        (z, x, y, (x, -y, 4.0) if z >= 0 else (-x, -y, 5.0)),
    )
    for axis, first, second, (s, t, face) in candidates:
        if abs(axis) >= abs(first) and abs(axis) >= abs(second):
            result = (s, t, Arithmetic(32).multiply(2.0, axis), face)
    return result


def cube(n: int, direction: tuple[float, ...]) -> tuple[float, ...]:
    s, t, major, face = cube_face(direction)
    return t, s, major, face


def cube_coordinates(n: int, direction: tuple[float, ...]) -> tuple[float, ...]:
    using = Arithmetic(32)
    s, t, major, _ = cube_face(direction)
    inverse = using.divide(1.0, major)
    return tuple(using.add(using.multiply(value, inverse), 0.5) for value in (s, t))


define("cube_amd", cube)
define("cube_r600", cube)
define("cube_face_coord_amd", cube_coordinates)
define("cube_face_index_amd", lambda n, a: (cube_face(a)[3],))


def small_float(value: float, significand_bits: int) -> int:
    """The nearest float without sign, with 5 exponent bits; ties to even; clamped to the finite range."""
    infinity = 31 << significand_bits
    if math.isnan(value):
        return infinity | 1
    if value <= 0:
        return 0
    if value == math.inf:
        return infinity
    exponent = max(math.frexp(value)[1] - 1, -14)
    digits = round(Fraction(value) / Fraction(2) ** (exponent - significand_bits))
    return min(digits + ((exponent + 14) << significand_bits), infinity - 1)


def pack_r11g11b10(n: int, red_green: int, blue: int) -> int:
    red, green = (small_float(float_of_bits(part, 16), 6) for part in fields(red_green, 16))
    return red | (green << 11) | (small_float(float_of_bits(blue % 65536, 16), 5) << 22)


def halves(value: int) -> Iterator[float]:
    return (float_of_bits(part, 16) for part in fields(value, 16))


def half_product(value: float, scale: int) -> int:
    """A unorm made by multiplying with the half whose bits are `scale`: its denormal bits are the result."""
    inside = 0.0 if math.isnan(value) else max(0.0, min(1.0, value))
    return round(Fraction(inside) * scale)


define("pack_32_to_r11g11b10_v3d", pack_r11g11b10)
define(
    "pack_uint_32_to_r10g10b10a2_v3d",
    lambda n, a, b: (a % 1024) | ((a >> 16) % 1024 << 10) | (b % 1024 << 20) | ((b >> 16) % 4 << 30),
)
define("pack_4x16_to_4x8_v3d", lambda n, a, b: join([*fields(a, 16), *fields(b, 16)], 8))
define("pack_2x32_to_2x16_v3d", lambda n, a, b: (join([a[0], b[0]], 16),))
define(
    "pack_2x16_to_unorm_2x8_v3d",
    lambda n, a: join([to_normalized(value, 255, 0.0) for value in halves(a)], 16),
)
define(
    "pack_2x16_to_snorm_2x8_v3d",
    lambda n, a: join([to_normalized(value, 127, -1.0) % 256 for value in halves(a)], 16),
)
define(
    "pack_2x16_to_unorm_2x10_v3d", lambda n, a: join([half_product(value, 1023) for value in halves(a)], 16)
)
define(
    "pack_2x16_to_unorm_10_2_v3d",
    lambda n, a: join(
        [half_product(value, scale) for value, scale in zip(halves(a), (1023, 3), strict=True)], 16
    ),
)
define("f2unorm_16_v3d", lambda n, a: to_normalized(float_of_bits(a, 32), 65535, 0.0))
define("f2snorm_16_v3d", lambda n, a: to_normalized(float_of_bits(a, 32), 32767, -1.0) % 65536)

FORMER_NAMES: dict[str, str] = {
    "fne": "fneu",
    "fne8": "fneu8",
    "fne16": "fneu16",
    "fne32": "fneu32",
    "fmov": "mov",
    "imov": "mov",
    "fsat_signed_mali": "fsat_signed",
    "fclamp_pos_mali": "fclamp_pos",
    "fsin_r600": "fsin_amd",
    "fcos_r600": "fcos_amd",
    "f2f16_undef": "f2f16",
    "cube_face_coord": "cube_face_coord_amd",
    "cube_face_index": "cube_face_index_amd",
    "usadd_4x8": "usadd_4x8_vc4",
    "ussub_4x8": "ussub_4x8_vc4",
    "umin_4x8": "umin_4x8_vc4",
    "umax_4x8": "umax_4x8_vc4",
    "umul_unorm_4x8": "umul_unorm_4x8_vc4",
    "fdot_replicated2": "fdot2_replicated",
    "fdot_replicated3": "fdot3_replicated",
    "fdot_replicated4": "fdot4_replicated",
    "d2f": "f2f32",
    "f2d": "f2f64",
    "d2i": "f2i32",
    "d2u": "f2u32",
    "d2b": "f2b1",
    "i2d": "i2f64",
    "u2d": "u2f64",
    "i642f": "i2f32",
    "i642d": "i2f64",
    "i642b": "i2b1",
    "u642f": "u2f32",
    "u642d": "u2f64",
    "i2u32": "i2i32",
    "i2u64": "i2i64",
    "u2i32": "u2u32",
    "u2i64": "u2u64",
    "b2f": "b2f32",
    "b2i": "b2i32",
    "f2b": "f2b1",
    "i2b": "i2b1",
    "f2i": "f2i32",
    "f2u": "f2u32",
    "i2f": "i2f32",
    "u2f": "u2f32",
}
for former, present in FORMER_NAMES.items():
    assert former not in REFERENCES
    REFERENCES[former] = REFERENCES[present]
