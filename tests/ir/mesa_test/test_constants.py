from __future__ import annotations

import pytest

from nirls.ir.mesa_test.constants import float_literal
from nirls.ir.model.float_bits import float_bits
from tests.ir.mesa_test.building import built_lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1  %0 = load_const (true)", "nir_imm_true(b)"),
        ("32  %0 = load_const (0x00000000)", "nir_imm_int(b, 0)"),
        ("32  %0 = load_const (0xffffffff)", "nir_imm_int(b, -1)"),
        ("32  %0 = load_const (0x12345678)", "nir_imm_int(b, 0x12345678)"),
        ("16  %0 = load_const (0x0007)", "nir_imm_intN_t(b, 7, 16)"),
        ("64  %0 = load_const (0x0123456789abcdef)", "nir_imm_intN_t(b, 0x123456789abcdefull, 64)"),
        ("32x2  %0 = load_const (0x00000001, 0x00000002)", "nir_imm_ivec2(b, 1, 2)"),
        ("32x2  %0 = load_const (0x3f800000, 0x00000000)", "nir_imm_vec2(b, 1.0f, 0.0f)"),
        ("32  %0 = load_const (0x7fc00000)", "nir_imm_int(b, 0x7fc00000)"),
    ],
)
def test_the_function_of_the_type(line: str, expected: str) -> None:
    assert built_lines(line) == [f"nir_def *ssa_0 = {expected};"]


def test_the_use_decides() -> None:
    lines = built_lines(
        "32  %0 = load_const (0x40400000)",
        "32  %1 = fneg %0",
        "32  %2 = load_const (0x40400000)",
        "32  %3 = ineg %2",
    )
    assert lines[0] == "nir_def *ssa_0 = nir_imm_float(b, 3.0f);"
    assert lines[2] == "nir_def *ssa_2 = nir_imm_int(b, 0x40400000);"


def test_other_vectors() -> None:
    lines = built_lines("16x2  %0 = load_const (0x0001, 0x0002)")
    assert lines == [
        "nir_const_value ssa_0_values[] = {",
        "nir_const_value_for_raw_uint(1, 16),",
        "nir_const_value_for_raw_uint(2, 16),",
        "};",
        "nir_def *ssa_0 = nir_build_imm(b, 2, 16, ssa_0_values);",
    ]


@pytest.mark.parametrize("number", [0.1, -0.0, 1.0, 1e10, 3.4e38, 1e-45, 2 / 3, 16777216.0])
def test_literals_are_rounded_to_the_bits(number: float) -> None:
    bits = float_bits(number, 32)
    assert float_bits(float(float_literal(bits, 32).removesuffix("f")), 32) == bits
