"""Constants in the readings that each dialect shows."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.shader import Dialect
from nirls.ir.text.printing.constants import (
    FLOAT,
    INTEGER,
    boolean_text,
    definition_text,
    float_text,
    inlined_text,
    signed,
)

MODERN, CLASSIC, OLD = Dialect.MODERN, Dialect.CLASSIC, Dialect.OLD


@pytest.mark.parametrize(
    ("bits", "bit_size", "text"),
    [
        (0x3F800000, 32, "1.000000"),
        (0x5D5E0B6B, 32, "999999984306749440.000000"),
        (0xFFFFFFFC, 32, "-nan"),
        (0x7FC00000, 32, "nan"),
        (0xFF800000, 32, "-inf"),
        (0x3C00, 16, "1.000000"),
        (0x3FF8000000000000, 64, "1.500000"),
    ],
)
def test_floats_as_c_prints_them(bits: int, bit_size: int, text: str) -> None:
    assert float_text(bits, bit_size) == text


def test_newer_printers_write_large_floats_with_an_exponent() -> None:
    assert float_text(0x49742400, 32, exponent=True) == "1.000000e+06"
    assert float_text(0x49742410, 32, exponent=False) == "1000001.000000"
    assert float_text(0x7F800000, 32, exponent=True) == "inf"


@pytest.mark.parametrize(
    ("used_as", "text"),
    [
        (0, "(0xfffffffc = -nan = -4 = 4294967292)"),
        (FLOAT, "(0xfffffffc = -nan)"),
        (INTEGER, "(0xfffffffc = -4 = 4294967292)"),
        (FLOAT | INTEGER, "(0xfffffffc = -nan = -4 = 4294967292)"),
    ],
)
def test_modern_definitions_show_the_readings_that_may_be_meant(used_as: int, text: str) -> None:
    assert definition_text((0xFFFFFFFC,), 32, MODERN, used_as) == text


def test_vectors_repeat_their_parentheses() -> None:
    values = (0x42000000, 0x40000000)
    assert definition_text(values, 32, CLASSIC) == "(0x42000000, 0x40000000) = (32.000000, 2.000000)"
    assert definition_text(values, 32, MODERN, FLOAT) == definition_text(values, 32, CLASSIC)
    assert definition_text(values, 32, OLD) == "(0x42000000 /* 32.000000 */, 0x40000000 /* 2.000000 */)"


def test_bytes_have_no_float_reading() -> None:
    assert definition_text((0x2A,), 8, CLASSIC) == "(0x2a)"
    assert definition_text((0x2A,), 8, OLD) == "(0x2a)"
    assert definition_text((0x2A,), 8, MODERN) == "(0x2a = 42)"
    assert definition_text((0x2A,), 8, MODERN, FLOAT) == "(0x2a)"


def test_booleans_of_any_size() -> None:
    assert definition_text((1, 0), 1, MODERN) == "(true, false)"
    assert boolean_text((0xFFFFFFFF, 0)) == "(true, false)"
    assert inlined_text((0xFFFFFFFF,), 32, "bool") == "(true)"


def test_inlined_constants_show_one_reading() -> None:
    assert inlined_text((0x3F800000,), 32, "float") == "(1.000000)"
    assert inlined_text((0x3F800000,), 32, "uint") == "(0x3f800000)"
    assert inlined_text((5,), 32, "") == "(0x5)"
    assert inlined_text((5,), 8, "float") == "(0x5)"


@given(st.integers(-(2**31), 2**31 - 1))
def test_signed_undoes_two_s_complement(number: int) -> None:
    assert signed(number & 0xFFFFFFFF, 32) == number


@given(st.floats(allow_nan=False, allow_infinity=False, width=32, max_value=2.0**99, min_value=-(2.0**99)))
def test_the_float_reading_is_near_the_value(number: float) -> None:
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    # Exact: a tie differs by half a unit of the last place that is printed.
    assert abs(Fraction(float_text(bits, 32)) - Fraction(number)) <= Fraction(1, 2_000_000)


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("bit_size", [0, 3, 8, 24, 32, 128])
def test_values_of_broken_dumps_are_printed_somehow(dialect: Dialect, bit_size: int) -> None:
    assert "0x" in definition_text((0xFFFFFFFFFFFF,), bit_size, dialect)
    assert signed(5, bit_size) in (5, -3)
