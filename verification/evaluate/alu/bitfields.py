"""Bit counting, bit searching, bit fields, and bytes and words inside integers."""

from functools import partial
from typing import Any

import numpy as np

from nirls.verification.evaluate.alu.operation import AluOperation
from nirls.verification.evaluate.values.arrays import Array


def count_bits(value: Array) -> Array:
    """Count the set bits, by adding neighbouring groups of 1, 2 and 4 bits, then all bytes at once."""
    x = value.astype(np.uint64)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((x * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int32)


def highest_bit(value: Array) -> Array:
    """Return the index of the most significant set bit, -1 if there is none."""
    x = value.astype(np.uint64)
    for distance in (1, 2, 4, 8, 16, 32):
        x = x | (x >> np.uint64(distance))
    return count_bits(x) - 1


def lowest_bit(value: Array) -> Array:
    """Return the index of the least significant set bit, -1 if there is none."""
    bits = value.view(f"u{value.dtype.itemsize}")
    below = (bits & np.negative(bits)) - bits.dtype.type(1)
    return np.where(bits == 0, np.int32(-1), count_bits(below))


def spread_bits(value: Array) -> Array:
    """Move the low 16 bits to the even bit positions of 32."""
    x = value.astype(np.uint32)
    x = (x | (x << np.uint32(8))) & np.uint32(0x00FF00FF)
    x = (x | (x << np.uint32(4))) & np.uint32(0x0F0F0F0F)
    x = (x | (x << np.uint32(2))) & np.uint32(0x33333333)
    return (x | (x << np.uint32(1))) & np.uint32(0x55555555)


def _reverse(value: Array) -> Array:
    x = value
    for distance, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        x = ((x >> np.uint32(distance)) & np.uint32(mask)) | ((x & np.uint32(mask)) << np.uint32(distance))
    return (x >> np.uint32(16)) | (x << np.uint32(16))


def _highest_bit_signed(value: Array) -> Array:
    """Return the index of the highest bit that differs from the sign bit."""
    return highest_bit(np.where(value < 0, ~value, value).view(np.uint32))


def _highest_bit_signed_reversed(value: Array) -> Array:
    found = _highest_bit_signed(value)
    return np.where(found < 0, found, 31 - found)


def _highest_bit_reversed(value: Array, bit_size: int) -> Array:
    found = highest_bit(value)
    return np.where(found < 0, found, bit_size - 1 - found)


def _low_mask(bits: Array) -> Array:
    """2**bits - 1 for 0 <= bits <= 32, as uint64."""
    return (np.uint64(1) << bits.astype(np.uint64)) - np.uint64(1)


def _make_mask(bits: Array, offset: Array) -> Array:
    """`bfm`: `bits` ones starting at `offset`, both modulo 32."""
    return _low_mask(bits & 31) << (offset & 31).astype(np.uint64)


def _insert_by_mask(mask: Array, insert: Array, base: Array) -> Array:
    """`bfi`: `insert`, shifted to the lowest bit of `mask`, replaces the bits of `mask`."""
    shift = np.maximum(lowest_bit(mask), 0).astype(np.uint32)
    return (base & ~mask) | ((insert << shift) & mask)


def _extract_modulo(base: Array, offset: Array, bits: Array) -> Array:
    """`ubfe` and `ibfe`: offset and bits modulo 32; a field that reaches past bit 31 ends there."""
    start, width = (offset & 31).astype(np.int64), (bits & 31).astype(np.int64)
    return np.where(width == 0, 0, _field(base, start, np.minimum(width, 32 - start)))


def _field(base: Array, start: Array, width: Array) -> Array:
    """Extract bits start .. start + width - 1, sign extended if `base` is signed; width >= 1 and in range."""
    size = base.dtype.itemsize * 8
    left = (size - start - width).astype(base.dtype)
    right = (size - width).astype(base.dtype)
    return (base << left) >> right


def _range_is_invalid(base: Array, offset: Array, bits: Array) -> Array:
    start, width = offset.astype(np.int64), bits.astype(np.int64)
    return (width != 0) & ((start < 0) | (width < 0) | (start + width > base.dtype.itemsize * 8))


def _extract_checked(base: Array, offset: Array, bits: Array) -> Array:
    """`ubitfield_extract` and `ibitfield_extract`: 0 for an empty field and for one outside the value."""
    empty = (bits == 0) | _range_is_invalid(base, offset, bits)
    start = np.where(empty, 0, offset).astype(np.int64)
    width = np.where(empty, 1, bits).astype(np.int64)
    return np.where(empty, base.dtype.type(0), _field(base, start, width))


def _insert_checked(base: Array, insert: Array, offset: Array, bits: Array) -> Array:
    """`bitfield_insert`: `base` for an empty field, 0 for one outside the value."""
    invalid = _range_is_invalid(base, offset, bits)
    skipped = invalid | (bits == 0)
    start = np.where(skipped, 0, offset).astype(np.uint64)
    mask = _low_mask(np.where(skipped, 0, bits)) << start
    inserted = (base & ~mask) | ((insert.astype(np.uint64) << start) & mask)
    return np.where(invalid, np.uint64(0), inserted)


def _chunk_shift(value: Array, index: Array, chunk_bits: int) -> Array:
    """Return the bit position of chunk `index`, which wraps modulo the number of chunks."""
    chunks = max(value.dtype.itemsize * 8 // chunk_bits, 1)
    return (index & index.dtype.type(chunks - 1)) * value.dtype.type(chunk_bits)


def _chunk_is_outside(value: Array, index: Array, chunk_bits: int) -> Array:
    chunks = max(value.dtype.itemsize * 8 // chunk_bits, 1)
    return (index < 0) | (index >= chunks)


def _extract_chunk(value: Array, index: Array, chunk_bits: int, chunk_type: type[np.integer[Any]]) -> Array:
    chunk = value >> _chunk_shift(value, index, chunk_bits)
    return chunk.astype(chunk_type).astype(value.dtype)


def _insert_chunk(value: Array, index: Array, chunk_bits: int) -> Array:
    if value.dtype.itemsize * 8 <= chunk_bits:
        return value
    low = value & value.dtype.type((1 << chunk_bits) - 1)
    return low << _chunk_shift(value, index, chunk_bits)


def _extract(name: str, chunk_bits: int, chunk_type: type[np.integer[Any]]) -> AluOperation:
    return AluOperation(
        name,
        partial(_extract_chunk, chunk_bits=chunk_bits, chunk_type=chunk_type),
        undefined=partial(_chunk_is_outside, chunk_bits=chunk_bits),
    )


def _insert(name: str, chunk_bits: int) -> AluOperation:
    return AluOperation(
        name,
        partial(_insert_chunk, chunk_bits=chunk_bits),
        undefined=partial(_chunk_is_outside, chunk_bits=chunk_bits),
    )


def _checked_extract(name: str) -> AluOperation:
    return AluOperation(name, _extract_checked, undefined=_range_is_invalid, is_older_form=True)


OPERATIONS: tuple[AluOperation, ...] = (
    AluOperation("bit_count", count_bits),
    AluOperation("bitfield_reverse", _reverse, is_older_form=True),
    AluOperation("ufind_msb", highest_bit),
    AluOperation("ifind_msb", _highest_bit_signed),
    AluOperation("ifind_msb_rev", _highest_bit_signed_reversed),
    AluOperation("ufind_msb_rev", _highest_bit_reversed, wants_bit_size=True),
    AluOperation("uclz", lambda value: 31 - highest_bit(value)),
    AluOperation("find_lsb", lowest_bit),
    AluOperation("bfm", _make_mask),
    AluOperation("bfi", _insert_by_mask),
    AluOperation("bitfield_select", lambda a, b, c: (a & b) | (~a & c)),
    AluOperation("ubfe", _extract_modulo),
    AluOperation("ibfe", _extract_modulo),
    _checked_extract("ubitfield_extract"),
    _checked_extract("ibitfield_extract"),
    AluOperation(
        "bitfield_insert",
        _insert_checked,
        is_older_form=True,
        undefined=lambda base, insert, offset, bits: _range_is_invalid(base, offset, bits),
    ),
    _extract("extract_u8", 8, np.uint8),
    _extract("extract_i8", 8, np.int8),
    _extract("extract_u16", 16, np.uint16),
    _extract("extract_i16", 16, np.int16),
    _insert("insert_u8", 8),
    _insert("insert_u16", 16),
)
