"""Lines that declare something, read and printed again."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Dialect, Function, Variable
from nirls.ir.model.values import Register
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import PrintStyle
from nirls.ir.text.printing.declarations import function_text, register_text, variable_text


@pytest.mark.parametrize(
    "line",
    [
        "decl_var shader_in INTERP_MODE_NONE none vec2 uv (VARYING_SLOT_VAR0.xy, 0, 0)",
        "decl_var patch shader_out INTERP_MODE_NONE none vec4[3] p (VARYING_SLOT_PATCH0.xyzw, 0, 0)",
        "decl_var shader_out INTERP_MODE_NONE none float[1] .c (VARYING_SLOT_CLIP_DIST0.x, 0, 0) compact",
        "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex  (VARYING_SLOT_POS, 0, 0)",
        "decl_var system INTERP_MODE_NONE none int gl_VertexID (SYSTEM_VALUE_VERTEX_ID)",
        "decl_var ssbo INTERP_MODE_NONE restrict readonly Block b (~0, 0, 3)",
        "decl_var image INTERP_MODE_NONE restrict writeonly r32_float image2D img (0, 0, 1)",
        "decl_var uniform INTERP_MODE_NONE none mediump vec4 c (0, 0, 0)",
        "decl_var shared INTERP_MODE_NONE none uint counter",
        "decl_var  INTERP_MODE_NONE none vec4 k = { 1.000000, 0.000000, 0.000000, 1.000000 }",
    ],
)
def test_variables(line: str) -> None:
    shader = parse_dump(f"shader: MESA_SHADER_VERTEX\n{line}\n".encode())
    assert variable_text(shader.variables[0], PrintStyle.of(shader)) == line


def test_no_access_has_a_word_in_modern_dumps_only() -> None:
    variable = Variable("x", "uniform", "float", location="0", data=("0", "0"))
    modern = variable_text(variable, PrintStyle.default(Dialect.MODERN))
    assert modern == "decl_var uniform INTERP_MODE_NONE none float x (0, 0, 0)"
    variable.access = ("none",)
    classic = variable_text(variable, PrintStyle.default(Dialect.CLASSIC))
    assert classic == "decl_var uniform INTERP_MODE_NONE float x (0, 0, 0)"


def test_registers() -> None:
    assert register_text(Register(3, 4, 32)) == "decl_reg vec4 32 r3"
    assert register_text(Register(3, 1, 16, 8)) == "decl_reg vec1 16 r3[8]"


def test_functions() -> None:
    assert function_text(Function("main", text=" () (entrypoint)\n")) == "decl_function main () (entrypoint)"
