from __future__ import annotations

import pytest

from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.code import Code
from nirls.ir.mesa_test.types import sampled_dimension, type_expression
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from tests.ir.mesa_test.building import built_lines


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("float", "glsl_float_type()"),
        ("bvec3", "glsl_bvec_type(3)"),
        ("f16vec4", "glsl_f16vec_type(4)"),
        ("uint64_t", "glsl_uint64_t_type()"),
        ("mat4", "glsl_matrix_type(GLSL_TYPE_FLOAT, 4, 4)"),
        ("dmat4x3", "glsl_matrix_type(GLSL_TYPE_DOUBLE, 3, 4)"),
        ("mat4x16a0B", "glsl_simple_explicit_type(GLSL_TYPE_FLOAT, 4, 4, 16, false, 0)"),
        ("mat3x16a8BRM", "glsl_simple_explicit_type(GLSL_TYPE_FLOAT, 3, 3, 16, true, 8)"),
        ("int[2][3]", "glsl_array_type(glsl_array_type(glsl_int_type(), 3, 0), 2, 0)"),
        ("uint[]", "glsl_array_type(glsl_uint_type(), 0, 0)"),
        ("sampler", "glsl_bare_sampler_type()"),
        (
            "sampler2DArrayShadow",
            "glsl_sampler_type(GLSL_SAMPLER_DIM_2D, true, true, GLSL_TYPE_FLOAT)",
        ),
        ("utexture2DMS", "glsl_texture_type(GLSL_SAMPLER_DIM_MS, false, GLSL_TYPE_UINT)"),
        ("iimageBuffer", "glsl_image_type(GLSL_SAMPLER_DIM_BUF, false, GLSL_TYPE_INT)"),
    ],
)
def test_types_by_name(name: str, expected: str) -> None:
    code = Code(Shader(Stage.FRAGMENT), mesa_api("25.0"))
    assert type_expression(name, code) == expected
    assert not code.reasons


def test_unknown_types_are_named() -> None:
    code = Code(Shader(Stage.FRAGMENT), mesa_api("25.0"))
    type_expression("hologram", code)
    assert list(code.reasons) == ["the type hologram"]


def test_the_dimension_of_a_texture() -> None:
    assert sampled_dimension("isamplerCubeArray") == ("GLSL_SAMPLER_DIM_CUBE", True, False)
    assert sampled_dimension("vec4") is None


def test_a_struct_is_made_of_the_fields_that_derefs_name() -> None:
    lines = built_lines(
        "32  %0 = deref_var &lights (uniform Light)",
        "32  %1 = deref_struct &%0->color (uniform vec3)  // &lights.color",
        "32  %2 = deref_struct &%0->power (uniform float)  // &lights.power",
        header=["decl_var uniform INTERP_MODE_NONE none Light lights (0, 0, 0)"],
    )
    assert lines[:6] == [
        "const struct glsl_struct_field Light_fields[] = {",
        '{glsl_vec_type(3), "color"},',
        '{glsl_float_type(), "power"},',
        "};",
        "const struct glsl_type *Light =",
        'glsl_struct_type(Light_fields, ARRAY_SIZE(Light_fields), "Light", false);',
    ]
    assert lines[-1] == "nir_deref_instr *ssa_2 = nir_build_deref_struct(b, ssa_0, 1);"
