"""Known answers of bit-field opcodes, and where they are undefined."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import is_undefined, run

MINUS_ONE = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "result"),
    [
        ("ufind_msb", 32, (0,), MINUS_ONE),
        ("ufind_msb", 64, (1 << 63,), 63),
        ("ufind_msb", 8, (0x0F,), 3),
        ("ufind_msb_rev", 32, (1,), 31),
        ("ufind_msb_rev", 32, (0,), MINUS_ONE),
        ("ifind_msb", 32, (MINUS_ONE,), MINUS_ONE),
        ("ifind_msb", 32, (0x80000000,), 30),
        ("ifind_msb", 32, (0x7FFFFFFF,), 30),
        ("ifind_msb_rev", 32, (0x80000000,), 1),
        ("ifind_msb_rev", 32, (0,), MINUS_ONE),
        ("uclz", 32, (0,), 32),
        ("uclz", 32, (0x80000000,), 0),
        ("find_lsb", 32, (0,), MINUS_ONE),
        ("find_lsb", 64, (1 << 63,), 63),
        ("find_lsb", 1, (1,), 0),
        ("bit_count", 64, (0xFFFFFFFFFFFFFFFF,), 64),
        ("bit_count", 1, (1,), 1),
        ("bitfield_reverse", 32, (0x00000001,), 0x80000000),
        ("bitfield_reverse", 32, (0x12345678,), 0x1E6A2C48),
        ("bfm", 32, (4, 8), 0x0F00),
        ("bfm", 32, (31, 1), 0xFFFFFFFE),
        ("bfm", 32, (32, 4), 0),
        ("bfi", 32, (0x00FF0000, 0x12, 0x55555555), 0x55125555),
        ("bfi", 32, (0, 0x12, 0x55555555), 0x55555555),
        ("bitfield_select", 8, (0xF0, 0xAB, 0xCD), 0xAD),
        ("ubfe", 32, (0x12345678, 8, 8), 0x56),
        ("ubfe", 32, (0xFFFFFFFF, 28, 8), 0xF),
        ("ubfe", 32, (0xFFFFFFFF, 0, 32), 0),
        ("ibfe", 32, (0x0000F000, 12, 4), MINUS_ONE),
        ("ibfe", 32, (0x80000000, 31, 31), MINUS_ONE),
        ("ubitfield_extract", 32, (0x12345678, 0, 32), 0x12345678),
        ("ubitfield_extract", 32, (0x12345678, 4, 0), 0),
        ("ubitfield_extract", 32, (0x12345678, 31, 2), 0),
        ("ibitfield_extract", 32, (0x0000F000, 12, 4), MINUS_ONE),
        ("ibitfield_extract", 32, (0x80000000, 0, 32), 0x80000000),
        ("bitfield_insert", 32, (0xFFFFFFFF, 0, 8, 8), 0xFFFF00FF),
        ("bitfield_insert", 32, (0x12345678, 0xCAFEBABE, 0, 32), 0xCAFEBABE),
        ("bitfield_insert", 32, (0x12345678, 0xFF, 4, 0), 0x12345678),
        ("bitfield_insert", 32, (0x12345678, 0xFF, 30, 3), 0),
        ("extract_u8", 32, (0x12F45678, 2), 0xF4),
        ("extract_i8", 32, (0x12F45678, 2), 0xFFFFFFF4),
        ("extract_i8", 64, (0x80 << 56, 7), 0xFFFFFFFFFFFFFF80),
        ("extract_i16", 32, (0x8000_0001, 1), 0xFFFF8000),
        ("extract_u16", 16, (0x8001, 0), 0x8001),
        ("insert_u8", 32, (0x1FF, 3), 0xFF000000),
        ("insert_u16", 64, (0x1ABCD, 3), 0xABCD << 48),
        ("bitnz", 32, (4, 34), 1),
        ("bitz", 32, (4, 34), 0),
        ("bitnz", 64, (1 << 40, 40), 1),
    ],
)
def test_known_results(opcode: str, size: int, sources: tuple[int, ...], result: int) -> None:
    assert run(opcode, size, *sources) == result


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "undefined"),
    [
        ("ubitfield_extract", 32, (1, 31, 1), False),
        ("ubitfield_extract", 32, (1, 31, 2), True),
        ("ubitfield_extract", 32, (1, MINUS_ONE, 1), True),
        ("ubitfield_extract", 32, (1, 40, 0), False),
        ("ibitfield_extract", 32, (1, 0, MINUS_ONE), True),
        ("ibitfield_extract", 32, (1, 0x7FFFFFFF, 0x7FFFFFFF), True),
        ("bitfield_insert", 32, (1, 2, 16, 16), False),
        ("bitfield_insert", 32, (1, 2, 17, 16), True),
        ("ubfe", 32, (1, 99, 99), False),
        ("extract_u8", 32, (1, 3), False),
        ("extract_u8", 32, (1, 4), True),
        ("extract_i16", 32, (1, MINUS_ONE), True),
        ("insert_u8", 16, (1, 1), False),
        ("insert_u8", 16, (1, 2), True),
        ("ufind_msb", 32, (0,), False),
        ("find_lsb", 32, (0,), False),
    ],
)
def test_undefined(opcode: str, size: int, sources: tuple[int, ...], undefined: bool) -> None:
    assert is_undefined(opcode, size, *sources) is undefined
