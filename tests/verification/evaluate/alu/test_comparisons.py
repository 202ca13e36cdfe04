"""Known answers of comparisons and selections."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import run

NAN, ONE, MINUS_ZERO = 0x7FC00000, 0x3F800000, 0x80000000


@pytest.mark.parametrize(
    ("opcode", "equal", "with_nan"),
    [
        ("feq", True, False),
        ("fneu", False, True),
        ("flt", False, False),
        ("fge", True, False),
        ("fequ", True, True),
        ("fneo", False, False),
        ("fltu", False, True),
        ("fgeu", True, True),
        ("ford", True, False),
        ("funord", False, True),
    ],
)
@pytest.mark.parametrize(("suffix", "true"), [("", 1), ("8", 0xFF), ("16", 0xFFFF), ("32", 0xFFFFFFFF)])
def test_float_comparisons_with_zeros_and_nan(
    opcode: str, equal: bool, with_nan: bool, suffix: str, true: int
) -> None:
    assert run(opcode + suffix, 32, 0, MINUS_ZERO) == true * equal
    assert run(opcode + suffix, 32, NAN, ONE) == true * with_nan
    assert run(opcode + suffix, 32, ONE, NAN) == true * with_nan
    assert run(opcode + suffix, 32, NAN, NAN) == true * with_nan


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "result"),
    [
        ("ilt32", 32, (0x80000000, 0), 0xFFFFFFFF),
        ("ult32", 32, (0x80000000, 0), 0),
        ("ige8", 64, (1 << 63, 1), 0),
        ("uge16", 8, (0xFF, 0x01), 0xFFFF),
        ("slt", 16, (0x3C00, 0x4000), 0x3C00),
        ("sge", 64, (0, 0x8000000000000000), 0x3FF0000000000000),
        ("seq", 32, (NAN, NAN), 0),
        ("sne", 32, (NAN, NAN), ONE),
        ("bcsel", 16, (1, 0x7C01, 2), 0x7C01),
        ("b32csel", 64, (0, 1, 0xDEADBEEFCAFEF00D), 0xDEADBEEFCAFEF00D),
        ("b32fcsel_mdg", 32, (0xFFFFFFFF, 0x7F800001, 0), 0x7F800001),
        ("fcsel", 32, (MINUS_ZERO, 1, 2), 2),
        ("fcsel", 32, (NAN, 0x7F800001, 2), 0x7F800001),
        ("fcsel_gt", 32, (NAN, 1, 2), 2),
        ("fcsel_ge", 32, (MINUS_ZERO, 1, 2), 1),
        ("i32csel_gt", 32, (0x80000000, 1, 2), 2),
        ("i32csel_ge", 32, (0, 1, 2), 1),
        ("icsel_eqz", 8, (0, 1, 2), 1),
    ],
)
def test_known_results(opcode: str, size: int, sources: tuple[int, ...], result: int) -> None:
    assert run(opcode, size, *sources) == result
