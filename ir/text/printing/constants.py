"""Printing of constants: raw bits in hexadecimal, and interpretations as float, signed and unsigned."""

from __future__ import annotations

import math
from functools import lru_cache

from nirls.ir.model.float_bits import FLOAT_SIZES, float_of
from nirls.ir.model.shader import Dialect

FLOAT = 1
INTEGER = 2
"""Flags for the uses of a constant (Mesa: nir_gather_types); both bits may be set."""

# From this value on, newer printers use `%e` instead of `%f`.
_EXPONENT_FROM = 1000000.0


@lru_cache(maxsize=8192)
def float_text(bits: int, bit_size: int, exponent: bool = False) -> str:
    """Format bits as a float like C's `%f`; large ones like `%e` with `exponent`.

    >>> float_text(0x3F800000, 32), float_text(0xFFC00000, 32), float_text(0xFC00, 16)
    ('1.000000', '-nan', '-inf')
    """
    bits &= (1 << bit_size) - 1
    value = float_of(bits, bit_size)
    if value != value:
        return "-nan" if bits >> (bit_size - 1) else "nan"
    if exponent and abs(value) >= _EXPONENT_FROM and not math.isinf(value):
        return f"{value:e}"
    return f"{value:f}"


def padded_hex(bits: int, bit_size: int) -> str:
    """Return the raw bits with leading zeros: `0x0000002a`."""
    return f"0x{bits:0{min(bit_size, 64) // 4}x}"


def signed(bits: int, bit_size: int) -> int:
    """Return the bits as a two's complement number."""
    return bits - (1 << bit_size) if is_negative(bits, bit_size) else bits


def is_negative(bits: int, bit_size: int) -> bool:
    """Return whether the sign bit is set; in a broken dump the size may be 0."""
    return bit_size > 0 and bool(bits >> (bit_size - 1) & 1)


def definition_text(
    values: tuple[int, ...], bit_size: int, dialect: Dialect, used_as: int = 0, *, exponent: bool = False
) -> str:
    """Return the text after `load_const`, parentheses included.

    Modern dumps add the interpretations in `used_as`, a set of `FLOAT` and `INTEGER`;
    classic ones always add the float; old ones put it in a comment after each component.
    """
    if bit_size == 1:
        return boolean_text(values)
    has_float = bit_size in FLOAT_SIZES
    if dialect is Dialect.OLD:
        if not has_float:
            return f"({', '.join([padded_hex(bits, bit_size) for bits in values])})"
        each = [f"{padded_hex(bits, bit_size)} /* {float_text(bits, bit_size)} */" for bits in values]
        return f"({', '.join(each)})"
    readings = [", ".join([padded_hex(bits, bit_size) for bits in values])]
    if dialect is Dialect.CLASSIC:
        if has_float:
            readings.append(", ".join([float_text(bits, bit_size) for bits in values]))
    else:
        if has_float and used_as != INTEGER:
            readings.append(", ".join([float_text(bits, bit_size, exponent) for bits in values]))
        if used_as != FLOAT:
            if any(is_negative(bits, bit_size) for bits in values):
                readings.append(", ".join([f"{signed(bits, bit_size):+d}" for bits in values]))
            if any(bits >= 10 for bits in values):
                readings.append(", ".join([str(bits) for bits in values]))
    separator = ") = (" if len(values) > 1 else " = "
    return f"({separator.join(readings)})"


def boolean_text(values: tuple[int, ...]) -> str:
    """Format booleans of any size: `(true, false)`."""
    return f"({', '.join(['true' if bits & 0xFF else 'false' for bits in values])})"


@lru_cache(maxsize=8192)
def inlined_text(values: tuple[int, ...], bit_size: int, base_type: str, exponent: bool = False) -> str:
    """Return the text after a constant source in modern dumps: the value as `base_type`."""
    if bit_size == 1 or base_type == "bool":
        return boolean_text(values)
    if base_type == "float" and bit_size in FLOAT_SIZES:
        return f"({', '.join([float_text(bits, bit_size, exponent) for bits in values])})"
    return f"({', '.join([f'0x{bits:x}' for bits in values])})"
