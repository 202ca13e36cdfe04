"""Known answers of integer opcodes, and where they are undefined."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import is_undefined, run

LOWEST = {8: 0x80, 16: 0x8000, 32: 0x80000000, 64: 0x8000000000000000}
ONES = {8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}


@pytest.mark.parametrize("size", [8, 16, 32, 64])
@pytest.mark.parametrize("opcode", ["idiv", "udiv", "imod", "umod", "irem"])
@pytest.mark.parametrize("dividend", [0, 1, 0x7F, 0x80])
def test_division_by_zero_is_zero_and_undefined(opcode: str, size: int, dividend: int) -> None:
    assert run(opcode, size, dividend, 0) == 0
    assert is_undefined(opcode, size, dividend, 0)
    assert not is_undefined(opcode, size, dividend, 1)


@pytest.mark.parametrize(
    ("opcode", "a", "b", "result"),
    [
        ("idiv", -7, 2, -3),
        ("idiv", 7, -2, -3),
        ("idiv", -7, -2, 3),
        ("irem", -7, 2, -1),
        ("irem", 7, -2, 1),
        ("irem", -7, -2, -1),
        ("imod", -7, 2, 1),
        ("imod", 7, -2, -1),
        ("imod", -7, -2, -1),
        ("imod", -8, 2, 0),
    ],
)
@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_signs_of_quotient_and_remainder(opcode: str, a: int, b: int, result: int, size: int) -> None:
    mask = ONES[size]
    assert run(opcode, size, a & mask, b & mask) == result & mask


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_lowest_number_divided_by_minus_one_wraps_and_is_undefined(size: int) -> None:
    assert run("idiv", size, LOWEST[size], ONES[size]) == LOWEST[size]
    for opcode in ("irem", "imod"):
        assert run(opcode, size, LOWEST[size], ONES[size]) == 0
    for opcode in ("idiv", "irem", "imod"):
        assert is_undefined(opcode, size, LOWEST[size], ONES[size])
        assert not is_undefined(opcode, size, LOWEST[size], 1)
        assert not is_undefined(opcode, size, LOWEST[size] + 1, ONES[size])


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_shift_counts_are_modulo_the_size(size: int) -> None:
    assert run("ishl", size, 3, size) == 3
    assert run("ishl", size, 3, size + 1) == 6
    assert run("ishl", size, 1, 0xFFFFFFFF) == LOWEST[size]
    assert run("ushr", size, LOWEST[size], size + size - 1) == 1
    assert run("ishr", size, LOWEST[size], size - 1) == ONES[size]
    assert run("urol", size, LOWEST[size] | 1, 1) == 3
    assert run("uror", size, 3, 1) == LOWEST[size] | 1
    assert run("urol", size, 5, size) == 5


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_saturation_at_every_size(size: int) -> None:
    ones, lowest = ONES[size], LOWEST[size]
    highest = ones >> 1
    assert run("uadd_sat", size, ones, 1) == ones
    assert run("uadd_sat", size, ones - 1, 1) == ones
    assert run("usub_sat", size, 3, 4) == 0
    assert run("iadd_sat", size, highest, 1) == highest
    assert run("iadd_sat", size, lowest, ones) == lowest
    assert run("isub_sat", size, lowest, 1) == lowest
    assert run("isub_sat", size, 0, lowest) == highest
    assert run("isub_sat", size, 5, 7) == ones - 1
    assert run("uadd_carry", size, ones, 1) == 1
    assert run("uadd_carry", size, ones - 1, 1) == 0
    assert run("usub_borrow", size, 0, 1) == 1


@pytest.mark.parametrize("a", [0, 1])
@pytest.mark.parametrize("b", [0, 1])
def test_1_bit_arithmetic_is_logic(a: int, b: int) -> None:
    """The identities that nir_opt_algebraic uses for 1-bit integers (-1 and 0 as signed ones)."""
    assert run("iadd", 1, a, b) == a ^ b
    assert run("isub", 1, a, b) == a ^ b
    assert run("imul", 1, a, b) == a & b
    assert run("imin", 1, a, b) == a | b
    assert run("imax", 1, a, b) == a & b
    assert run("umin", 1, a, b) == a & b
    assert run("umax", 1, a, b) == a | b
    assert run("iadd_sat", 1, a, b) == a | b
    assert run("uadd_sat", 1, a, b) == a | b
    assert run("isub_sat", 1, a, b) == a & (1 - b)
    assert run("usub_sat", 1, a, b) == a & (1 - b)
    assert run("ilt", 1, a, b) == a & (1 - b)
    assert run("ult", 1, a, b) == (1 - a) & b
    assert run("inot", 1, a) == 1 - a
    assert run("ineg", 1, a) == a


@pytest.mark.parametrize(
    ("opcode", "size", "a", "b", "result"),
    [
        ("umul_high", 64, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE),
        ("imul_high", 64, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0),
        ("imul_high", 64, 0x8000000000000000, 0x8000000000000000, 0x4000000000000000),
        ("imul_high", 64, 0x8000000000000000, 1, 0xFFFFFFFFFFFFFFFF),
        ("umul_high", 32, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE),
        ("imul_high", 32, 0xFFFFFFFF, 2, 0xFFFFFFFF),
        ("imul_high", 16, 0x8000, 0x8000, 0x4000),
        ("umul_high", 8, 0xFF, 0xFF, 0xFE),
        ("imul_2x32_64", 32, 0xFFFFFFFF, 2, 0xFFFFFFFFFFFFFFFE),
        ("umul_2x32_64", 32, 0xFFFFFFFF, 2, 0x1FFFFFFFE),
        ("umul_low", 32, 0x12340003, 0x56780005, 15),
        ("imul_32x16", 32, 10, 0x0001FFFF, 0xFFFFFFF6),
        ("umul_32x16", 32, 10, 0x0001FFFF, 0x0009FFF6),
        ("imul24", 32, 0x00FFFFFF, 0x55000003, 0xFFFFFFFD),
        ("umul24", 32, 0xFF000002, 0x00800000, 0x01000000),
        ("iabs", 32, 0x80000000, None, 0x80000000),
        ("ineg", 32, 0x80000000, None, 0x80000000),
        ("isign", 16, 0x8000, None, 0xFFFF),
        ("ihadd", 8, 0x80, 0x81, 0x80),
        ("uhadd", 8, 0xFF, 0xFE, 0xFE),
        ("irhadd", 8, 0xFF, 0x00, 0x00),
        ("urhadd", 8, 0xFF, 0xFE, 0xFF),
        ("uabs_isub", 8, 0x80, 0x7F, 0xFF),
        ("uabs_usub", 8, 0x01, 0xFF, 0xFE),
    ],
)
def test_known_results(opcode: str, size: int, a: int, b: int | None, result: int) -> None:
    assert run(opcode, size, a, *(() if b is None else (b,))) == result


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "undefined"),
    [
        ("amul", 32, (0x10000, 0x8000), True),
        ("amul", 32, (0x10000, 0x7FFF), False),
        ("amul", 32, (0xFFFFFFFF, 5), True),
        ("amul", 64, (1 << 32, 1 << 31), True),
        ("amul", 64, (1 << 32, 1 << 30), False),
        ("amul", 16, (0x100, 0x80), True),
        ("imul", 32, (0x10000, 0x8000), False),
        ("imul24", 32, (0x01000003, 2), True),
        ("imul24", 32, (0x01000003, 0x01000000), True),
        ("imul24", 32, (0x01000003, 0), False),
        ("imul24", 32, (0x007FFFFF, 0xFFFFFFFF), False),
        ("imul24_relaxed", 32, (0x007FFFFF, 3), False),
        ("imul24_relaxed", 32, (0x00800000, 3), True),
        ("imul24_relaxed", 32, (3, 0xFF800000), False),
        ("umul24_relaxed", 32, (0x00FFFFFF, 3), False),
        ("umul24_relaxed", 32, (3, 0x01000000), True),
        ("umad24_relaxed", 32, (1, 2, 0xFFFFFFFF), False),
        ("umad24_relaxed", 32, (0x01000000, 2, 0), True),
        ("udiv_aligned_4", 32, (8,), False),
        ("udiv_aligned_4", 32, (9,), True),
        ("ishl", 32, (1, 99), False),
    ],
)
def test_undefined(opcode: str, size: int, sources: tuple[int, ...], undefined: bool) -> None:
    assert is_undefined(opcode, size, *sources) is undefined
