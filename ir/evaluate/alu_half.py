"""float16 rounding that numpy has no operation for."""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

import numpy as np

from nirls.ir.evaluate.alu_operation import Array


def to_half_toward_zero(value: Array) -> Array:
    """float16 with the excess digits cut off; finite values beyond the range become +-65504."""
    with np.errstate(over="ignore"):
        nearest = value.astype(np.float16)
    overshot = np.abs(nearest.astype(value.dtype)) > np.abs(value)
    return (nearest.view(np.uint16) - overshot.astype(np.uint16)).view(np.float16)


def half_bits(value: Array) -> Array:
    """The bits of a float, rounded to nearest even float16, as uint32; every NaN is 0x7e00."""
    with np.errstate(over="ignore"):
        return _bits(value.astype(np.float16))


def half_bits_toward_zero(value: Array) -> Array:
    """As `half_bits`, rounded toward zero."""
    return _bits(to_half_toward_zero(value))


def half_value(bits: Array) -> Array:
    """The float32 value of the float16 in the low 16 bits of an integer."""
    return (bits & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float32)


def flush_half_denormals(bits: Array) -> Array:
    """float16 bits with every denormal replaced by the zero of its sign."""
    return np.where((bits & 0x7C00) == 0, bits & 0x8000, bits)


def _bits(half: Array) -> Array:
    return np.where(np.isnan(half), np.uint32(0x7E00), half.view(np.uint16).astype(np.uint32))
