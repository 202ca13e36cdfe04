"""Known answers of conversions, and where they are undefined."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import is_undefined, run
from tests.verification.evaluate.alu.exact_float import bits_of_float


def f32(value: float) -> int:
    return bits_of_float(value, 32)


@pytest.mark.parametrize(
    ("opcode", "value", "result", "undefined"),
    [
        ("f2i32", -1.9, 0xFFFFFFFF, False),
        ("f2i32", 2147483520.0, 0x7FFFFF80, False),
        ("f2i32", 2147483648.0, 0x7FFFFFFF, True),
        ("f2i32", -2147483648.0, 0x80000000, False),
        ("f2i32", float("-inf"), 0x80000000, True),
        ("f2i32", float("nan"), 0, True),
        ("f2u32", -0.9, 0, False),
        ("f2u32", -1.0, 0, True),
        ("f2u32", 4294967040.0, 0xFFFFFF00, False),
        ("f2u32", 4294967296.0, 0xFFFFFFFF, True),
        ("f2u64", 2.0**63, 1 << 63, False),
        ("f2u64", 2.0**64, (1 << 64) - 1, True),
        ("f2i64", -(2.0**63), 1 << 63, False),
        ("f2i64", 2.0**63, (1 << 63) - 1, True),
        ("f2i8", 127.9, 0x7F, False),
        ("f2i8", 128.0, 0x7F, True),
        ("f2i8", -128.9, 0x80, False),
        ("f2i8", -129.0, 0x80, True),
        ("f2u8", 255.5, 0xFF, False),
        ("f2u8", 256.0, 0xFF, True),
        ("f2i16", 40000.0, 0x7FFF, True),
        ("f2u16", 40000.0, 40000, False),
        ("f2i1", 3.0, 1, False),
        ("f2imp", -5.5, 0xFFFB, False),
        ("f2imp", 32768.0, 0x7FFF, True),
        ("f2ump", 65535.0, 0xFFFF, False),
        ("f2ump", -1.0, 0, True),
    ],
)
def test_float_to_integer(opcode: str, value: float, result: int, undefined: bool) -> None:
    assert run(opcode, 32, f32(value) if value == value else 0x7FC00000) == result
    assert is_undefined(opcode, 32, f32(value)) is undefined


@pytest.mark.parametrize(
    ("opcode", "size", "bits", "result"),
    [
        ("i2f32", 32, 0x01000001, 0x4B800000),
        ("i2f32", 32, 0x01000003, 0x4B800002),
        ("i2f32", 32, 0xFFFFFFFF, 0xBF800000),
        ("u2f32", 32, 0xFFFFFFFF, 0x4F800000),
        ("u2f32", 64, 0xFFFFFFFFFFFFFFFF, 0x5F800000),
        # One more than a tie between two float32: a detour over float64 would lose the one.
        ("u2f32", 64, (1 << 60) + (1 << 36) + 1, 0x5D800001),
        ("i2f16", 32, 65519, 0x7BFF),
        ("i2f16", 32, 65520, 0x7C00),
        ("i2f16", 32, 2049, 0x6800),
        ("i2f64", 64, 0x7FFFFFFFFFFFFFFF, 0x43E0000000000000),
        ("i2f32", 8, 0x80, 0xC3000000),
        ("i2f32", 1, 1, 0xBF800000),
        ("u2f32", 1, 1, 0x3F800000),
        ("i2i64", 8, 0x80, 0xFFFFFFFFFFFFFF80),
        ("u2u64", 8, 0x80, 0x80),
        ("i2i8", 32, 0x12345680, 0x80),
        ("i2i1", 32, 2, 0),
        ("i2i32", 1, 1, 0xFFFFFFFF),
        ("u2u32", 1, 1, 1),
        ("b2i32", 1, 1, 1),
        ("b2i64", 32, 0xFFFFFFFF, 1),
        ("b2f16", 8, 0xFF, 0x3C00),
        ("b2f64", 1, 1, 0x3FF0000000000000),
        ("b2b32", 1, 1, 0xFFFFFFFF),
        ("b2b1", 16, 0xFFFF, 1),
        ("b2b8", 32, 0, 0),
        ("f2b1", 32, 0x80000000, 0),
        ("f2b1", 32, 0x7FC00000, 1),
        ("f2b32", 16, 0x0001, 0xFFFFFFFF),
        ("i2b16", 64, 1 << 63, 0xFFFF),
        ("f2f32", 64, 0x47EFFFFFF0000000, 0x7F800000),
        ("f2f32", 64, 0x3FF0000010000000, 0x3F800000),
        ("f2f32", 64, 0x3FF0000010000001, 0x3F800001),
        ("f2f32", 16, 0x0001, 0x33800000),
        ("f2f32", 16, 0xFC01, 0x7FC00000),
        ("f2f64", 32, 0x00000001, 0x36A0000000000000),
        # 1 + 2**-11 + 2**-40: rounding to float32 on the way would make it a tie and go down.
        ("f2f16", 64, 0x3FF0020000001000, 0x3C01),
        ("f2fmp", 32, 0x33000001, 0x0001),
        ("i2fmp", 32, 0xFFFFFFFE, 0xC000),
        ("u2fmp", 32, 0xFFFFFFFE, 0x7C00),
        ("i2imp", 32, 0x00005678, 0x5678),
    ],
)
def test_known_results(opcode: str, size: int, bits: int, result: int) -> None:
    assert run(opcode, size, bits) == result
    assert not is_undefined(opcode, size, bits)
