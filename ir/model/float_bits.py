"""Floats of 16, 32 and 64 bits as raw bits."""

from __future__ import annotations

import math
import struct
from typing import Final

_FORMATS: Final = {16: "<e", 32: "<f", 64: "<d"}
FLOAT_SIZES: Final = frozenset(_FORMATS)
"""The bit sizes of floats."""


def float_of(bits: int, bit_size: int) -> float:
    """Convert raw bits to a float; NaN for a size that is none of a float, and for bits beyond the size."""
    if bit_size not in _FORMATS or bits >> bit_size:
        return math.nan
    number: float = struct.unpack(_FORMATS[bit_size], bits.to_bytes(bit_size // 8, "little"))[0]
    return number


def float_bits(number: float, bit_size: int) -> int:
    """Round a number to a float, and return its raw bits.

    Raises KeyError for another size than those of floats, and OverflowError for a number that is too large.
    """
    return int.from_bytes(struct.pack(_FORMATS[bit_size], number), "little")


def is_finite(bits: int, bit_size: int) -> bool:
    """Whether raw bits are those of a finite float."""
    return math.isfinite(float_of(bits, bit_size))
