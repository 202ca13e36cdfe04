from __future__ import annotations

import pytest

from nirls.ir.mesa_test.variables import format_expression
from tests.ir.mesa_test.building import built_lines, reasons_of


@pytest.mark.parametrize(
    ("line", "mode", "assignments"),
    [
        ("decl_var ubo INTERP_MODE_NONE none vec4 a (0, 0, 0)", "nir_var_mem_ubo", []),
        (
            "decl_var shader_in INTERP_MODE_FLAT none vec2 a (VARYING_SLOT_VAR3.zw, 5, 0)",
            "nir_var_shader_in",
            [
                "interpolation = INTERP_MODE_FLAT",
                "location = VARYING_SLOT_VAR3",
                "location_frac = 2",
                "driver_location = 5",
            ],
        ),
        (
            "decl_var centroid shader_in INTERP_MODE_SMOOTH none mediump float a (VARYING_SLOT_VAR0.x, 0, 0)",
            "nir_var_shader_in",
            ["centroid = true", "precision = GLSL_PRECISION_MEDIUM", "location = VARYING_SLOT_VAR0"],
        ),
        (
            "decl_var image INTERP_MODE_NONE restrict readonly r32_uint uimage2D a (0, 0, 3)",
            "nir_var_image",
            [
                "access = (gl_access_qualifier)(ACCESS_RESTRICT | ACCESS_NON_WRITEABLE)",
                "image.format = PIPE_FORMAT_R32_UINT",
                "binding = 3",
            ],
        ),
        (
            "decl_var system INTERP_MODE_NONE none int a (SYSTEM_VALUE_VERTEX_ID)",
            "nir_var_system_value",
            ["location = SYSTEM_VALUE_VERTEX_ID"],
        ),
        (
            "decl_var shader_out INTERP_MODE_NONE none float[2] a (VARYING_SLOT_CLIP_DIST0.x, 0, 0) compact",
            "nir_var_shader_out",
            ["location = VARYING_SLOT_CLIP_DIST0", "compact = true"],
        ),
    ],
)
def test_a_declaration(line: str, mode: str, assignments: list[str]) -> None:
    lines = built_lines(header=[line])
    assert lines[0] == "nir_variable *a ="
    assert lines[1].startswith(f"nir_variable_create(b->shader, {mode}, ")
    assert lines[2:] == [f"a->data.{assignment};" for assignment in assignments]


def test_names_that_are_no_identifiers() -> None:
    lines = built_lines(
        header=[
            f"decl_var uniform INTERP_MODE_NONE none float {name} (0, 0, 0)"
            for name in (".gl_Position", "b", "#0", "COLOR", "x", "x#1")
        ]
    )
    assert [line.split()[1] for line in lines if line.startswith("nir_variable *")] == [
        *("*gl_Position", "*b_var", "*var_0", "*COLOR_var", "*x", "*x_1")
    ]
    assert [line.rpartition(", ")[2] for line in lines if line.startswith("nir_variable_create")] == [
        *('".gl_Position");', '"b");', "NULL);", '"COLOR");', '"x");', '"x");')
    ]


def test_an_output_without_location_is_not_printed_and_built_all_the_same() -> None:
    lines = built_lines("32  %0 = deref_var &o (shader_out vec4)", stage="VERTEX")
    assert lines[1:] == [
        'nir_variable_create(b->shader, nir_var_shader_out, glsl_vec_type(4), "o");',
        "o->data.location = -1;",
        "nir_deref_instr *ssa_0 = nir_build_deref_var(b, o);",
    ]


def test_what_cannot_be_declared_is_named() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none bf16vec2 a (0, 0, 0)"
    assert reasons_of(header=[line]) == ["the type bf16vec2"]
    assert reasons_of("32  %0 = deref_var &u (uniform vec4)") == ["the deref %0"]


def test_formats() -> None:
    assert format_expression("r8g8b8a8_unorm") == "PIPE_FORMAT_R8G8B8A8_UNORM"
