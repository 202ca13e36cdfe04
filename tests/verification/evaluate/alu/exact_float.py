"""IEEE arithmetic on Python floats by exact fractions, rounded to float16, float32 or float64.

Written without numpy, as the independent side of the evaluator's tests. A float16 or float32 value is held in
a Python float that is exactly it.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from fractions import Fraction

_FORMATS = {16: (11, -14, 15), 32: (24, -126, 127), 64: (53, -1022, 1023)}
_CODES = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}
QUIET_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}


def float_of_bits(bits: int, size: int) -> float:
    """The value of the raw bits."""
    float_code, integer_code = _CODES[size]
    return float(struct.unpack(float_code, struct.pack(integer_code, bits))[0])


def bits_of_float(value: float, size: int) -> int:
    """The raw bits of a value that the format can hold; a NaN is the quiet NaN."""
    if math.isnan(value):
        return QUIET_NAN[size]
    float_code, integer_code = _CODES[size]
    return int(struct.unpack(integer_code, struct.pack(float_code, value))[0])


def nearest(exact: Fraction, size: int, toward_zero: bool = False) -> float:
    """The float of the format nearest to a number (ties to even), or the next one toward zero."""
    if exact == 0:
        return 0.0
    precision, lowest_exponent, highest_exponent = _FORMATS[size]
    over, under = abs(exact.numerator), exact.denominator
    exponent = over.bit_length() - under.bit_length()
    if over << max(-exponent, 0) < under << max(exponent, 0):
        exponent -= 1
    unit = max(exponent, lowest_exponent) - (precision - 1)
    digits, rest = divmod(over << max(-unit, 0), under << max(unit, 0))
    if not toward_zero:
        tie = 2 * rest - (under << max(unit, 0))
        digits += tie > 0 or (tie == 0 and digits % 2 == 1)
    largest_unit = highest_exponent - precision + 1
    if unit > largest_unit or (unit == largest_unit and digits == 2**precision):
        result = math.ldexp(2**precision - 1, largest_unit) if toward_zero else math.inf
    else:
        result = math.ldexp(digits, unit)
    return -result if exact < 0 else result


def convert(value: float, size: int, toward_zero: bool = False) -> float:
    """A float in another format."""
    if value == 0 or not math.isfinite(value):
        return value
    return nearest(Fraction(value), size, toward_zero)


@dataclass(frozen=True)
class Arithmetic:
    """Operations that round once to the format of `size` bits."""

    size: int

    def add(self, a: float, b: float) -> float:
        if not (math.isfinite(a) and math.isfinite(b)):
            return a + b
        exact = Fraction(a) + Fraction(b)
        return nearest(exact, self.size) if exact else a + b

    def subtract(self, a: float, b: float) -> float:
        return self.add(a, -b)

    def multiply(self, a: float, b: float) -> float:
        if a == 0 or b == 0 or not (math.isfinite(a) and math.isfinite(b)):
            return a * b
        return nearest(Fraction(a) * Fraction(b), self.size)

    def divide(self, a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return math.nan
        if b == 0:
            sign = math.copysign(1, a) * math.copysign(1, b)
            return math.nan if a == 0 else math.copysign(math.inf, sign)
        if a == 0 or not (math.isfinite(a) and math.isfinite(b)):
            return a / b
        return nearest(Fraction(a) / Fraction(b), self.size)

    def square_root(self, a: float) -> float:
        if a == 0 or math.isnan(a) or a == math.inf:
            return a
        if a < 0:
            return math.nan
        # 200 binary digits, and one more that says whether anything follows them.
        square = Fraction(a) * 4**600
        root = math.isqrt(math.floor(square))
        sticky = 0 if root * root == square else 1
        return nearest(Fraction(2 * root + sticky, 2 * 2**600), self.size)

    def multiply_add(self, a: float, b: float, c: float) -> float:
        if math.isfinite(a) and math.isfinite(b):
            if not math.isfinite(c):
                return c
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:
                return nearest(exact, self.size)
            return a * b + c if a == 0 or b == 0 else 0.0
        return a * b + c
