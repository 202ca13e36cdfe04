"""GLSL types by their printed names."""

from __future__ import annotations

import pytest

from nirls.ir.model.glsl_types import (
    LeafType,
    StructTypes,
    array_parts,
    bare_type,
    element_type,
    is_known_not_struct,
    leaf_type,
    opaque_kind,
    without_arrays,
)
from tests.verification.evaluate.shader_text import shader_of


@pytest.mark.parametrize(
    ("name", "leaf"),
    [
        ("float", LeafType("float", 1, 32)),
        ("vec3", LeafType("float", 3, 32)),
        ("u64vec2", LeafType("uint", 2, 64)),
        ("f16vec4", LeafType("float", 4, 16)),
        ("vec4x16a0B", LeafType("float", 4, 32)),
        ("bvec2", LeafType("bool", 2, 1)),
        ("bf16vec2", LeafType("bfloat", 2, 16)),
        ("dvec2", LeafType("float", 2, 64)),
        ("vec16", LeafType("float", 16, 32)),
        ("vec6", None),
        ("vec4294967296", None),
        ("mat4", None),
        ("vec4[2]", None),
        ("Light", None),
    ],
)
def test_leaf(name: str, leaf: LeafType | None) -> None:
    assert leaf_type(name) == leaf


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("float[]", ("float", 0)),
        ("vec4[3][2]", ("vec4[2]", 3)),
        ("mat3", ("vec3", 3)),
        ("mat4x3", ("vec3", 4)),
        ("dmat2", ("dvec2", 2)),
        ("vec4", None),
    ],
)
def test_array(name: str, parts: tuple[str, int] | None) -> None:
    assert array_parts(name) == parts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vec4[3]", "vec4"),
        ("vec4[3][2]", "vec4[2]"),
        ("float[]", "float"),
        ("mat4", "vec4"),
        ("mat4x16a0B", "vec4"),
        ("ivec3", "int"),
        ("bf16vec2", "bfloat16_t"),
        ("float", None),
        ("Light", None),
    ],
)
def test_element_type(name: str, expected: str | None) -> None:
    assert element_type(name) == expected


def test_names() -> None:
    assert bare_type("mat3x16a0BRM[4]") == "mat3[4]"
    assert bare_type("struct[4]#2") == "struct[4]"
    assert without_arrays("Light[2][3]") == "Light"
    assert opaque_kind("usampler2DArray") == "sampler"
    assert opaque_kind("vec4") is None
    assert is_known_not_struct("sampler2D")
    assert is_known_not_struct("Light[2]")
    assert not is_known_not_struct("Light")


def test_fields_are_those_that_derefs_name() -> None:
    body = """    block b0:   // preds:
    32     %0 = deref_var &s (function_temp S)
    32     %1 = deref_struct &%0->a (function_temp uint[2])  // &s.a
    32     %2 = deref_struct &%0->b (function_temp vec2)  // &s.b
                // succs: b99"""
    types = StructTypes.of(shader_of(body, locals_="    decl_var  INTERP_MODE_NONE none S s\n"))
    assert types.member_type("S", "a") == "uint[2]"
    assert types.member_type("S", "unheard of") == ""
    assert types.member_type("uint[2]", 1) == "uint"
    uint, vec2 = LeafType("uint", 1, 32), LeafType("float", 2, 32)
    assert list(types.leaves("S[1]")) == [((0, "a", 0), uint), ((0, "a", 1), uint), ((0, "b"), vec2)]
