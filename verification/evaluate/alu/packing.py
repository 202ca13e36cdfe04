"""Packing small values into larger integers and back, and sums of products of packed integers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nirls.verification.evaluate.alu.float_error import FloatError, rounded
from nirls.verification.evaluate.alu.floats import (
    flush_half_denormals,
    half_bits,
    half_bits_toward_zero,
    half_value,
)
from nirls.verification.evaluate.alu.operation import AluOperation, Compute
from nirls.verification.evaluate.values.arrays import Array


def join_fields(fields: Array, field_bits: int, dtype: type[np.unsignedinteger[Any]]) -> Array:
    """Pack rows of fields into one row of integers, the first field in the lowest bits."""
    joined = fields[0:1].astype(dtype)
    for index in range(1, len(fields)):
        joined = joined | (fields[index : index + 1].astype(dtype) << dtype(index * field_bits))
    return joined


def split_fields(value: Array, field_bits: int, count: int) -> Array:
    """Unpack one row of integers into `count` rows of masked fields, the lowest bits first."""
    mask = value.dtype.type((1 << field_bits) - 1)
    rows = [(value >> value.dtype.type(index * field_bits)) & mask for index in range(count)]
    return np.concatenate(rows, axis=0)


def to_normalized(value: Array, scale: int, low: float) -> Array:
    """Clamp a float to low .. 1, scale and round it to even, as int64; NaN is treated as `low`."""
    single = value.astype(np.float32)
    clamped = np.where(single > low, np.minimum(single, np.float32(1)), np.float32(low))
    return np.rint(clamped * np.float32(scale)).astype(np.int64)


def _pack_normalized(value: Array, field_bits: int, scale: int, low: float) -> Array:
    mask = (1 << field_bits) - 1
    return join_fields(to_normalized(value, scale, low) & mask, field_bits, np.uint32)


def _unpack_unsigned(value: Array, field_bits: int) -> Array:
    scale = np.float32((1 << field_bits) - 1)
    return split_fields(value, field_bits, 32 // field_bits).astype(np.float32) / scale


def _unpack_signed(value: Array, field_bits: int) -> Array:
    fields = split_fields(value, field_bits, 32 // field_bits).astype(f"u{field_bits // 8}")
    scale = np.float32((1 << (field_bits - 1)) - 1)
    return np.maximum(fields.view(f"i{field_bits // 8}").astype(np.float32) / scale, np.float32(-1))


def any_nan(value: Array) -> Array:
    """Return which vectors have a component that is NaN."""
    return np.logical_or.reduce(np.isnan(value), axis=0, keepdims=True)


def _pack_clamped(value: Array, low: int, high: int) -> Array:
    return join_fields(np.clip(value, low, high) & 0xFFFF, 16, np.uint32)


def _unpack_half(value: Array, flush: bool = False) -> Array:
    bits = split_fields(value, 16, 2)
    return half_value(flush_half_denormals(bits) if flush else bits)


def _half_part(value: Array, shift: int, flush: bool = False) -> Array:
    bits = (value >> np.uint32(shift)) & np.uint32(0xFFFF)
    return half_value(flush_half_denormals(bits) if flush else bits)


def signed_fields(packed: Array, field_bits: int) -> Array:
    """Return the fields of packed 32-bit integers as int64, sign extended, on a new first axis."""
    fields = unsigned_fields(packed, field_bits)
    sign = 1 << (field_bits - 1)
    return (fields ^ sign) - sign


def unsigned_fields(packed: Array, field_bits: int) -> Array:
    """Return the fields of packed 32-bit integers as int64 on a new first axis."""
    mask = (1 << field_bits) - 1
    wide = packed.astype(np.int64)
    return np.stack([(wide >> shift) & mask for shift in range(0, 32, field_bits)])


Fields = Callable[[Array, int], Array]


def _dot(a: Array, b: Array, c: Array, field_bits: int, left: Fields, right: Fields, saturate: bool) -> Array:
    unsigned = left is unsigned_fields
    # An unsigned sum has an unsigned addend, even where the table types the saturating form otherwise.
    addend = (c.view(np.uint32) if unsigned else c.view(np.int32)).astype(np.int64)
    total = (left(a, field_bits) * right(b, field_bits)).sum(axis=0) + addend
    if not saturate:
        return total
    return np.clip(total, 0, 0xFFFFFFFF) if unsigned else np.clip(total, -0x80000000, 0x7FFFFFFF)


def _dot_operation(name: str, field_bits: int, left: Fields, right: Fields, saturate: bool) -> AluOperation:
    compute = partial(_dot, field_bits=field_bits, left=left, right=right, saturate=saturate)
    # The unsigned saturating forms had a signed addend until 25.0.
    was_signed = saturate and left is right is unsigned_fields
    return AluOperation(name, compute, is_older_form=was_signed)


def _absolute_differences(a: Array, b: Array, c: Array) -> Array:
    """`sad_u8x4`: the sum of the four byte differences, plus c."""
    difference = np.abs(unsigned_fields(a, 8) - unsigned_fields(b, 8))
    return difference.sum(axis=0).astype(c.dtype) + c


def masked_differences(reference: Array, source: Array, addend: Array) -> Array:
    """`msad_4x8`: byte differences are counted only where the reference byte is not zero."""
    wanted, given = unsigned_fields(reference, 8), unsigned_fields(source, 8)
    counted = np.where(wanted != 0, np.abs(wanted - given), 0)
    return counted.sum(axis=0) + addend


def _masked_quad_differences(reference: Array, source: Array, addend: Array) -> Array:
    """`mqsad_4x8`: four masked sums, for the 32-bit windows of a 64-bit source that start at each byte."""
    window = join_fields(source, 32, np.uint64)
    rows = [
        masked_differences(
            reference, ((window >> np.uint64(8 * row)) & np.uint64(0xFFFFFFFF)), addend[row : row + 1]
        )
        for row in range(4)
    ]
    return np.concatenate(rows, axis=0)


def _join(name: str, source_bits: int, bits: int) -> AluOperation:
    dtype = np.uint64 if bits == 64 else np.uint32
    compute = partial(join_fields, field_bits=source_bits, dtype=dtype)
    return AluOperation(name, compute)


def _split(name: str, bits: int, field_bits: int) -> AluOperation:
    count = bits // field_bits
    compute = partial(split_fields, field_bits=field_bits, count=count)
    return AluOperation(name, compute)


_ROUNDED_FIELDS = rounded(is_monotonic=True)


def _normalized(name: str, field_bits: int, signed: bool) -> AluOperation:
    scale = (1 << (field_bits - 1)) - 1 if signed else (1 << field_bits) - 1
    compute = partial(_pack_normalized, field_bits=field_bits, scale=scale, low=-1.0 if signed else 0.0)
    return AluOperation(name, compute, _ROUNDED_FIELDS, undefined=any_nan)


def _join_split(name: str, bits: int, source_bits: int) -> AluOperation:
    dtype: type[np.unsignedinteger[Any]] = np.uint64 if bits == 64 else np.uint32

    def compute(*sources: Array) -> Array:
        joined = sources[0].astype(dtype)
        for index, source in enumerate(sources[1:], start=1):
            joined = joined | (source.astype(dtype) << dtype(index * source_bits))
        return joined

    return AluOperation(name, compute)


def _pack_half_split(name: str, to_bits: Compute, error: FloatError) -> AluOperation:
    return AluOperation(name, lambda low, high: to_bits(low) | (to_bits(high) << np.uint32(16)), error)


_DOTS: tuple[tuple[str, int, Fields, Fields], ...] = (
    ("sdot_4x8_iadd", 8, signed_fields, signed_fields),
    ("udot_4x8_uadd", 8, unsigned_fields, unsigned_fields),
    ("sudot_4x8_iadd", 8, signed_fields, unsigned_fields),
    ("sdot_2x16_iadd", 16, signed_fields, signed_fields),
    ("udot_2x16_uadd", 16, unsigned_fields, unsigned_fields),
)

OPERATIONS: tuple[AluOperation, ...] = (
    _join("pack_32_4x8", 8, 32),
    _join("pack_32_2x16", 16, 32),
    _join("pack_64_2x32", 32, 64),
    _join("pack_64_4x16", 16, 64),
    _join("pack_double_2x32_dxil", 32, 64),
    _split("unpack_32_4x8", 32, 8),
    _split("unpack_32_2x16", 32, 16),
    _split("unpack_64_2x32", 64, 32),
    _split("unpack_64_4x16", 64, 16),
    _split("unpack_double_2x32_dxil", 64, 32),
    _join_split("pack_32_4x8_split", 32, 8),
    _join_split("pack_32_2x16_split", 32, 16),
    _join_split("pack_64_2x32_split", 64, 32),
    AluOperation("unpack_32_2x16_split_x", lambda a: a),
    AluOperation("unpack_32_2x16_split_y", lambda a: a >> np.uint32(16)),
    AluOperation("unpack_64_2x32_split_x", lambda a: a),
    AluOperation("unpack_64_2x32_split_y", lambda a: a >> np.uint64(32)),
    _normalized("pack_snorm_2x16", 16, signed=True),
    _normalized("pack_unorm_2x16", 16, signed=False),
    _normalized("pack_snorm_4x8", 8, signed=True),
    _normalized("pack_unorm_4x8", 8, signed=False),
    AluOperation("unpack_snorm_2x16", partial(_unpack_signed, field_bits=16), rounded()),
    AluOperation("unpack_unorm_2x16", partial(_unpack_unsigned, field_bits=16), rounded()),
    AluOperation("unpack_snorm_4x8", partial(_unpack_signed, field_bits=8), rounded()),
    AluOperation("unpack_unorm_4x8", partial(_unpack_unsigned, field_bits=8), rounded()),
    AluOperation("pack_half_2x16", lambda a: join_fields(half_bits(a), 16, np.uint32), _ROUNDED_FIELDS),
    _pack_half_split("pack_half_2x16_split", half_bits, _ROUNDED_FIELDS),
    _pack_half_split("pack_half_2x16_rtz_split", half_bits_toward_zero, FloatError(is_monotonic=True)),
    AluOperation("unpack_half_2x16", _unpack_half),
    AluOperation("unpack_half_2x16_flush_to_zero", partial(_unpack_half, flush=True)),
    AluOperation("unpack_half_2x16_split_x", partial(_half_part, shift=0)),
    AluOperation("unpack_half_2x16_split_y", partial(_half_part, shift=16)),
    AluOperation("unpack_half_2x16_split_x_flush_to_zero", partial(_half_part, shift=0, flush=True)),
    AluOperation("unpack_half_2x16_split_y_flush_to_zero", partial(_half_part, shift=16, flush=True)),
    AluOperation("pack_uint_2x16", partial(_pack_clamped, low=0, high=0xFFFF)),
    AluOperation("pack_sint_2x16", partial(_pack_clamped, low=-0x8000, high=0x7FFF)),
    AluOperation("pack_uvec2_to_uint", lambda a: join_fields(a & 0xFFFF, 16, np.uint32)),
    # Only the two-component form masks its sources.
    AluOperation("pack_uvec4_to_uint", lambda a: join_fields(a, 8, np.uint32)),
    *(_dot_operation(name, bits, left, right, False) for name, bits, left, right in _DOTS),
    *(_dot_operation(f"{name}_sat", bits, left, right, True) for name, bits, left, right in _DOTS),
    AluOperation("msad_4x8", masked_differences),
    AluOperation("mqsad_4x8", _masked_quad_differences),
    AluOperation("sad_u8x4", _absolute_differences),
)
