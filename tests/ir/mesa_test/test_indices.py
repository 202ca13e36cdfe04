from __future__ import annotations

import pytest

from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.code import Code
from nirls.ir.mesa_test.indices import index_expression, modes_expression
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage


def code() -> Code:
    return Code(Shader(Stage.FRAGMENT), mesa_api("25.0"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("base", 0, None),
        ("base", -4, "-4"),
        ("range", -1, "0xffffffff"),
        ("access", 3, "(gl_access_qualifier)(ACCESS_COHERENT | ACCESS_RESTRICT)"),
        ("image_dim", "2D-MSAA", "GLSL_SAMPLER_DIM_MS"),
        ("image_array", "false", None),
        ("format", "r32_uint", "PIPE_FORMAT_R32_UINT"),
        ("swizzle_mask", "((id & 31) | 0) ^ 1", "0x41f"),
        ("interp_mode", "INTERP_MODE_NONE", None),
        ("rounding_mode", "rtz", "nir_rounding_mode_rtz"),
        ("atomic_op", "ordered_add", "nir_atomic_op_ordered_add_gfx12_amd"),
        ("memory_scope", "NONE", None),
    ],
)
def test_words_and_numbers(name: str, value: IndexValue, expected: str | None) -> None:
    assert index_expression(IntrinsicInstr("barrier", [], {}), name, value, code()) == expected


def test_quads_have_one_digit_for_each_lane() -> None:
    instr = IntrinsicInstr("quad_swizzle_amd", [], {})
    assert index_expression(instr, "swizzle_mask", 1032, code()) == str(1 | 0 << 2 | 3 << 4 | 2 << 6)


def test_unknown_words_are_named() -> None:
    made = code()
    index_expression(IntrinsicInstr("reduce", [], {}), "image_dim", "5D", made)
    modes_expression("generic", made)
    assert list(made.reasons) == ["the index image_dim=5D of @reduce", "the mode generic"]
