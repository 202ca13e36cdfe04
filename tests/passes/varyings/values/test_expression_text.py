"""Expressions as messages show them."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.passes.varyings.values.expression_text import constant_text, expression_text
from tests.passes.shader_text import load
from tests.passes.varyings.pairs import fragment, vertex
from tests.passes.varyings.values.test_transfer import value


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["32    %20 = fadd %10, %11"], "GENERIC0.x + GENERIC0.y"),
        (["32    %19 = fadd %10, %11", "32    %20 = fmul %19, %1"], "(GENERIC0.x + GENERIC0.y) * 1"),
        (["32    %19 = fneg %11", "32    %20 = fadd %10, %19"], "GENERIC0.x - GENERIC0.y"),
        (
            ["32    %19 = fsub %10, %11", "32    %20 = fsub %10, %19"],
            "GENERIC0.x - (GENERIC0.x - GENERIC0.y)",
        ),
        (["32    %19 = fneg %10", "32    %20 = fneg %19"], "--GENERIC0.x"),
        (["32    %20 = fmul -%10, abs(%11)"], "-GENERIC0.x * abs(GENERIC0.y)"),
        (["32    %20 = ffma %10, %9.y, %1"], "GENERIC0.x * u.y + 1"),
        (["32    %20 = fsqrt %9.z"], "sqrt(u.z)"),
        (["32    %20 = fmax.sat %10, %1"], "sat(max(GENERIC0.x, 1))"),
        (["32    %20 = iadd %0, %0"], "0 + 0"),
        (["32    %19 = load_const (0x00000005)", "32    %20 = ishl %19, %0"], "ishl(5, 0)"),
        (["32    %20 = phi b0: %10"], "%20"),
        (["32x2  %19 = vec2 %10, %11", "32    %20 = mov %19.y"], "GENERIC0.y"),
    ],
)
def test_expressions(lines: list[str], expected: str) -> None:
    assert expression_text(value(vertex(*lines), 20), Stage.VERTEX) == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    [("[2]", "lights[2].color.y"), ("[%1]", "lights[1065353216].color.y"), ("[%19]", None)],
)
def test_members_of_uniforms(index: str, expected: str | None) -> None:
    lines = [
        "32    %19 = f2i32 %10",
        "32    %20 = deref_var &lights (uniform Light[3])",
        f"32    %21 = deref_array &(*%20){index} (uniform Light)",
        "32    %22 = deref_struct &%21->color (uniform vec4)",
        "32x4  %23 = @load_deref (%22) (access=none)",
        "32    %24 = mov %23.y",
    ]
    text = expression_text(value(vertex(*lines), 24), Stage.VERTEX)
    assert text == expected if expected else "lights" not in text


def test_a_deep_expression_is_cut_at_a_value() -> None:
    lines = [f"32    %{number} = fsin %{number - 1 if number > 20 else 10}" for number in range(20, 40)]
    text = expression_text(value(vertex(*lines), 39), Stage.VERTEX)
    assert text == "sin(sin(sin(sin(%35))))"


def test_a_wide_expression_is_shortened() -> None:
    lines = ["32    %20 = fadd %10, %11"] + [
        f"32    %{number} = fmul %{number - 1}, %{number - 1}" for number in range(21, 30)
    ]
    assert len(expression_text(value(vertex(*lines), 29), Stage.VERTEX)) <= 60


def test_inputs_of_the_consumer_are_slots() -> None:
    parsed = fragment(load(4, "VAR3", 2), "32    %5 = fexp2 %4")
    assert expression_text(value(parsed, 5), Stage.FRAGMENT) == "exp2(VAR3.z)"


def test_a_byte_of_a_uniform_buffer_is_named() -> None:
    parsed = vertex(
        "32    %19 = load_const (0x00000010)",
        "32    %20 = @load_ubo (%0 (0x0), %19 (0x10)) (access=none, align_mul=16, align_offset=0,"
        " range_base=0, range=16)",
    )
    assert expression_text(value(parsed, 20), Stage.VERTEX) == "ubo0[16]"
    vector = vertex(
        "32    %19 = load_const (0x00000010)",
        "32x2  %20 = @load_ubo (%0 (0x0), %19 (0x10)) (access=none, align_mul=16, align_offset=0,"
        " range_base=0, range=16)",
        "32    %21 = mov %20.y",
    )
    assert expression_text(value(vector, 21), Stage.VERTEX) == "ubo0[20]"


@pytest.mark.parametrize(
    ("bits", "bit_size", "text"),
    [
        (0, 32, "0"),
        (0x3F000000, 32, "0.5"),
        (0x3800, 16, "0.5"),
        (0x7FC00000, 32, "0x7fc00000"),
        (5, 32, "5 (0x5)"),
        (0xFFFFFFFE, 32, "-2 (0xfffffffe)"),
        (0xDEADBE, 32, "0xdeadbe"),
        (0x38, 8, "56 (0x38)"),
        (0x3F000000, 16, "0x3f000000"),
        (0x3F000000, 0, "0x3f000000"),
    ],
)
def test_constants(bits: int, bit_size: int, text: str) -> None:
    assert constant_text(bits, bit_size) == text
