from __future__ import annotations

import pytest

from nirls.ir.validation.glsl_types import (
    VectorType,
    bare_type,
    element_type,
    is_array_or_matrix,
    is_plainly_no_struct,
    opaque_kind,
    vector_type,
    without_arrays,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vec4", VectorType(4, 32, "float")),
        ("float", VectorType(1, 32, "float")),
        ("bvec2", VectorType(2, 1, "bool")),
        ("f16vec3", VectorType(3, 16, "float16_t")),
        ("u64vec2", VectorType(2, 64, "uint64_t")),
        ("dvec2", VectorType(2, 64, "double")),
        ("vec3x16a0B", VectorType(3, 32, "float")),
        ("mat4", None),
        ("vec4[2]", None),
        ("Light", None),
    ],
)
def test_vector_type(name: str, expected: VectorType | None) -> None:
    assert vector_type(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vec4[3]", "vec4"),
        ("vec4[3][2]", "vec4[2]"),
        ("float[]", "float"),
        ("mat4", "vec4"),
        ("mat4x3", "vec3"),
        ("mat4x16a0B", "vec4"),
        ("dmat2", "dvec2"),
        ("ivec3", "int"),
        ("float", None),
        ("Light", None),
    ],
)
def test_element_type(name: str, expected: str | None) -> None:
    assert element_type(name) == expected


def test_other_questions() -> None:
    assert bare_type("mat3x16a0BRM[4]") == "mat3[4]"
    assert is_array_or_matrix("Light[2]")
    assert not is_array_or_matrix("Light")
    assert without_arrays("Light[2][3]") == "Light"
    assert opaque_kind("usampler2DArray") == "sampler"
    assert opaque_kind("vec4") is None
    assert is_plainly_no_struct("sampler2D")
    assert not is_plainly_no_struct("Light")
