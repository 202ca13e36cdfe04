"""Vendor opcodes (AMD, AGX, ir3, NVIDIA, v3d, vc4) whose semantics NIR defines."""

from functools import partial

import numpy as np

from nirls.verification.evaluate.alu.bitfields import spread_bits
from nirls.verification.evaluate.alu.error_rules import cube, cube_coordinates, monotonic, other_face
from nirls.verification.evaluate.alu.float_error import FloatError, approximate
from nirls.verification.evaluate.alu.floats import half_bits, half_value
from nirls.verification.evaluate.alu.integers import loses_bits_24, multiply_24, shift_left, shift_right
from nirls.verification.evaluate.alu.operation import AluOperation, Compute
from nirls.verification.evaluate.alu.packing import any_nan, to_normalized, unsigned_fields
from nirls.verification.evaluate.values.arrays import Array


def _funnel_shift(high: Array, low: Array, count: Array) -> Array:
    """`shfr`: the low 32 bits of high:low shifted right, the count modulo 32."""
    return _pair(low, high) >> (count & 31).astype(np.uint64)


def _align_byte(high: Array, low: Array, count: Array) -> Array:
    return _pair(low, high) >> ((count & 3).astype(np.uint64) << np.uint64(3))


def _pair(low: Array, high: Array) -> Array:
    return low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))


def _permute_bytes(selector: Array, low: Array, high: Array) -> Array:
    """`prmt_nv`: each selector nibble picks one of eight bytes, or copies of that byte's sign bit."""
    pair = _pair(low, high)
    result = np.zeros(pair.shape, np.uint32)
    for byte in range(4):
        nibble = (selector >> np.uint32(4 * byte)) & np.uint32(0xF)
        picked = (pair >> ((nibble & 7).astype(np.uint64) << np.uint64(3))).astype(np.uint8)
        sign_copies = np.where(picked >= 0x80, np.uint8(0xFF), np.uint8(0))
        chosen = np.where(nibble >= 8, sign_copies, picked).astype(np.uint32)
        result |= chosen << np.uint32(8 * byte)
    return result


def _extract_pair(low: Array, high: Array, start: Array, bits: Array) -> Array:
    """`extr_agx`: `bits` bits (0 means 32) of high:low from bit `start`, which is taken modulo 128."""
    position = (start & 0x7F).astype(np.uint64)
    shifted = _pair(low, high) >> np.minimum(position, np.uint64(63))
    width = np.where((bits == 0) | (bits > 32), 32, bits).astype(np.uint64)
    mask = (np.uint64(1) << width) - np.uint64(1)
    return np.where(position >= 64, np.uint64(0), shifted & mask)


def _shift_beyond_4(a: Array, b: Array, c: Array, count: Array) -> Array:
    return (count < 0) | (count > 4)


def _address(base: Array, index: Array, count: Array) -> Array:
    wide = np.int64 if index.dtype.kind == "i" else np.uint64
    return base + shift_left(index.astype(wide), count).view(np.uint64)


def _pick(compare: Compute) -> Compute:
    """`fmin_agx` and `fmax_agx`: return the bits of one source unchanged, denormals included."""

    def pick(a: Array, b: Array) -> Array:
        left, right = a.view(np.float32), b.view(np.float32)
        return np.where(compare(left, right) | np.isnan(right), a, b)

    return pick


def _multiply_add_high_mixed(a: Array, b: Array, c: Array) -> Array:
    """`imadsh_mix16`: low half of a times high half of b, shifted left by 16 bits, plus c.

    This is the documented behaviour, and the lowering of 32-bit `imul` relies on it. Mesa's own
    C expression since 2023 loses the product to 32-bit overflow.
    """
    low, high = a.astype(np.int64) & 0xFFFF, (b.astype(np.int64) >> 16) & 0xFFFF
    return ((low * high) << 16) + c


def _bytewise(combine: Compute) -> Compute:
    """Apply to the four unsigned bytes of each source; the results must fit a byte."""

    def compute(a: Array, b: Array) -> Array:
        first, second, third, fourth = combine(unsigned_fields(a, 8), unsigned_fields(b, 8))
        return first | (second << 8) | (third << 16) | (fourth << 24)

    return compute


def _major_axis(direction: Array) -> tuple[Array, Array, Array]:
    """For each lane of a cube map direction, whether x, y or z has the largest magnitude (ties: several)."""
    x, y, z = np.abs(direction)
    return (x >= y) & (x >= z), (y >= x) & (y >= z), (z >= x) & (z >= y)


def _cube_face(direction: Array) -> tuple[Array, Array, Array, Array]:
    """(s, t, major axis times 2, face) of a cube map direction; a tie picks z, then y. All 0 on NaN."""
    x, y, z = direction
    along_x, along_y, along_z = _major_axis(direction)
    choices = [along_z & (z >= 0), along_z, along_y & (y >= 0), along_y, along_x & (x >= 0), along_x]
    zero = np.float32(0)
    s = np.select(choices, [x, -x, x, x, -z, z], zero)
    t = np.select(choices, [-y, -y, z, -z, -y, -y], zero)
    major = np.select([along_z, along_y, along_x], [2 * z, 2 * y, 2 * x], zero)
    face = np.select(choices, [np.float32(number) for number in (4, 5, 2, 3, 0, 1)], zero)
    return s, t, major, face


def _cube(direction: Array) -> Array:
    s, t, major, face = _cube_face(direction)
    return np.stack([t, s, major, face])


def _cube_coordinates(direction: Array) -> Array:
    s, t, major, _ = _cube_face(direction)
    inverse = np.float32(1) / major
    return np.stack([s * inverse + np.float32(0.5), t * inverse + np.float32(0.5)])


def _unsigned_float(half: Array, significand_bits: int) -> Array:
    """Convert float16 bits to an unsigned float of 5 exponent bits and fewer significand bits.

    Rounded to nearest even. As in GL_EXT_packed_float, negative numbers become 0 and finite numbers above
    the range become the largest finite number.
    """
    cut = 10 - significand_bits
    magnitude = half & 0x7FFF
    infinity = 0x1F << significand_bits
    rounded = (magnitude + (1 << (cut - 1)) - 1 + ((magnitude >> cut) & 1)) >> cut
    finite = np.minimum(rounded, infinity - 1)
    negative = half >= 0x8000
    positive = np.where(magnitude == 0x7C00, infinity, finite)
    return np.where(magnitude > 0x7C00, infinity | 1, np.where(negative, 0, positive)).astype(np.uint32)


def _pack_r11g11b10(red_green: Array, blue: Array) -> Array:
    red = _unsigned_float(red_green & 0xFFFF, 6)
    green = _unsigned_float(red_green >> np.uint32(16), 6)
    return red | (green << np.uint32(11)) | (_unsigned_float(blue & 0xFFFF, 5) << np.uint32(22))


def _pack_r10g10b10a2(red_green: Array, blue_alpha: Array) -> Array:
    ten = np.uint32(0x3FF)
    red, green = red_green & ten, (red_green >> np.uint32(16)) & ten
    blue, alpha = blue_alpha & ten, (blue_alpha >> np.uint32(16)) & ten
    return red | (green << np.uint32(10)) | (blue << np.uint32(20)) | (alpha << np.uint32(30))


def _pack_4x16_to_4x8(low: Array, high: Array) -> Array:
    byte, third = np.uint32(0xFF), np.uint32(0xFF0000)
    return (
        (low & byte)
        | ((low & third) >> np.uint32(8))
        | ((high & byte) << np.uint32(16))
        | ((high & third) << np.uint32(8))
    )


def _halves_to_bytes(packed: Array, scale: int, low: float) -> Array:
    first = to_normalized(half_value(packed), scale, low) & 0xFF
    second = to_normalized(half_value(packed >> np.uint32(16)), scale, low) & 0xFF
    return first | (second << 16)


def _halves_to_unorm(packed: Array, first_scale: int, second_scale: int) -> Array:
    """Clamp two float16 to 0 .. 1 (NaN to 0) and multiply them by a denormal half: the bits are the unorm."""
    return _half_to_unorm(packed, first_scale) | (
        _half_to_unorm(packed >> np.uint32(16), second_scale) << np.uint32(16)
    )


def _half_to_unorm(packed: Array, scale: int) -> Array:
    value = half_value(packed)
    clamped = np.where(value > 0, np.minimum(value, np.float32(1)), np.float32(0))
    return half_bits(clamped * np.float32(scale * 2.0**-24))


def _float_bits_to_unorm16(bits: Array) -> Array:
    return to_normalized(bits.view(np.float32), 0xFFFF, 0.0)


def _float_bits_to_snorm16(bits: Array) -> Array:
    return to_normalized(bits.view(np.float32), 0x7FFF, -1.0) & 0xFFFF


def _ir3_shift(name: str, shift: Compute, combine: Compute) -> AluOperation:
    return AluOperation(name, lambda value, count, other: combine(shift(value, count), other))


def _agx_multiply(name: str, combine: Compute) -> AluOperation:
    return AluOperation(
        name, lambda a, b, c, count: combine(a * b, shift_left(c, count)), undefined=_shift_beyond_4
    )


def _agx_address(name: str) -> AluOperation:
    return AluOperation(name, _address, undefined=lambda base, index, count: count > 63)


def _agx_pick(name: str, compare: Compute, chosen: Compute) -> AluOperation:
    error = FloatError(rule=monotonic(chosen))
    return AluOperation(name, _pick(compare), error, raw=True, is_older_form=True)


def _vc4(name: str, combine: Compute) -> AluOperation:
    return AluOperation(name, _bytewise(combine))


_CUBE = FloatError(rule=cube, flips=other_face)
_FIELDS = FloatError(is_monotonic=True)

OPERATIONS: tuple[AluOperation, ...] = (
    AluOperation("shfr", _funnel_shift),
    AluOperation("alignbyte_amd", _align_byte),
    AluOperation("prmt_nv", _permute_bytes),
    AluOperation("extr_agx", _extract_pair, undefined=lambda low, high, start, bits: bits > 31),
    _agx_multiply("imadshl_agx", np.add),
    _agx_multiply("imsubshl_agx", np.subtract),
    _agx_address("ilea_agx"),
    _agx_address("ulea_agx"),
    AluOperation("bounds_agx", lambda a, b, c: np.where(b <= c, a, a.dtype.type(0))),
    AluOperation("interleave_agx", lambda even, odd: spread_bits(even) | (spread_bits(odd) << np.uint32(1))),
    _agx_pick("fmin_agx", np.less, np.fmin),
    _agx_pick("fmax_agx", np.greater, np.fmax),
    _ir3_shift("shrm_ir3", shift_right, np.bitwise_and),
    _ir3_shift("shlm_ir3", shift_left, np.bitwise_and),
    _ir3_shift("shrg_ir3", shift_right, np.bitwise_or),
    _ir3_shift("shlg_ir3", shift_left, np.bitwise_or),
    AluOperation("andg_ir3", lambda a, b, c: (a & b) | c),
    AluOperation("imadsh_mix16", _multiply_add_high_mixed),
    AluOperation(
        "imad24_ir3",
        lambda a, b, c: multiply_24(a, b) + c,
        undefined=lambda a, b, c: loses_bits_24(a, b),
    ),
    AluOperation("cube_amd", _cube, _CUBE, undefined=any_nan),
    AluOperation("cube_r600", _cube, _CUBE, undefined=any_nan),
    AluOperation(
        "cube_face_coord_amd",
        _cube_coordinates,
        approximate(cube_coordinates, flips=other_face),
        undefined=any_nan,
    ),
    AluOperation(
        "cube_face_index_amd",
        lambda a: _cube_face(a)[3][np.newaxis],
        FloatError(rule=lambda x, e, r: np.zeros((1, 1)), flips=other_face),
    ),
    _vc4("usadd_4x8_vc4", lambda a, b: np.minimum(a + b, 0xFF)),
    _vc4("ussub_4x8_vc4", lambda a, b: np.maximum(a - b, 0)),
    _vc4("umin_4x8_vc4", np.minimum),
    _vc4("umax_4x8_vc4", np.maximum),
    _vc4("umul_unorm_4x8_vc4", lambda a, b: a * b // 255),
    AluOperation("pack_32_to_r11g11b10_v3d", _pack_r11g11b10),
    AluOperation("pack_uint_32_to_r10g10b10a2_v3d", _pack_r10g10b10a2),
    AluOperation("pack_4x16_to_4x8_v3d", _pack_4x16_to_4x8),
    AluOperation("pack_2x32_to_2x16_v3d", lambda low, high: (low & 0xFFFF) | (high << np.uint32(16))),
    AluOperation("pack_2x16_to_unorm_2x8_v3d", partial(_halves_to_bytes, scale=0xFF, low=0.0)),
    AluOperation("pack_2x16_to_snorm_2x8_v3d", partial(_halves_to_bytes, scale=0x7F, low=-1.0)),
    AluOperation(
        "pack_2x16_to_unorm_2x10_v3d", partial(_halves_to_unorm, first_scale=0x3FF, second_scale=0x3FF)
    ),
    AluOperation("pack_2x16_to_unorm_10_2_v3d", partial(_halves_to_unorm, first_scale=0x3FF, second_scale=3)),
    AluOperation("f2unorm_16_v3d", _float_bits_to_unorm16, _FIELDS),
    AluOperation("f2snorm_16_v3d", _float_bits_to_snorm16, _FIELDS),
)
