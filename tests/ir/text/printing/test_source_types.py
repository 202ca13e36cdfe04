"""The base types that instructions read."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr, TexInstr
from nirls.ir.model.values import Def, Src
from nirls.ir.text.printing.source_types import (
    alu_types,
    component_count,
    glsl_base_type,
    intrinsic_dest_type,
    intrinsic_src_type,
    tex_src_type,
)


def test_types_of_opcodes() -> None:
    assert alu_types("fadd") == (("float", "float"), "float")
    assert alu_types("flt") == (("float", "float"), "bool")
    assert alu_types("b32csel") == (("bool", "uint", "uint"), "uint")
    assert alu_types("frobnicate") is None


@pytest.mark.parametrize(
    ("name", "base", "components"),
    [
        ("float", "float", 1),
        ("vec3", "float", 3),
        ("mat4", "float", 16),
        ("mat2x3", "float", 6),
        ("f16vec4", "float", 4),
        ("float16_t", "float", 1),
        ("uvec2", "uint", 2),
        ("i64vec3", "int", 3),
        ("bool", "bool", 1),
        ("vec4[2]", "", 0),
        ("Light", "", 0),
        ("sampler2D", "", 0),
    ],
)
def test_glsl_types(name: str, base: str, components: int) -> None:
    assert glsl_base_type(name) == base
    assert component_count(name) == components


def test_intrinsics_say_what_they_read_where_mesa_does() -> None:
    store = IntrinsicInstr("store_output", [Src(), Src()], {"src_type": "float32"})
    assert [intrinsic_src_type(store, i) for i in range(2)] == ["float", "int"]
    load = IntrinsicInstr("load_input", [Src()], {"dest_type": "int32"})
    assert intrinsic_dest_type(load) == "int"
    per_vertex = IntrinsicInstr("load_per_vertex_input", [Src(), Src()], {"dest_type": "float32"})
    assert [intrinsic_src_type(per_vertex, i) for i in range(2)] == ["", "int"]
    scalar = IntrinsicInstr("load_smem_amd", [Src(), Src()], {})
    assert [intrinsic_src_type(scalar, i) for i in range(2)] == ["", "int"]
    assert intrinsic_dest_type(per_vertex) == ""


def test_deref_accesses_read_what_the_deref_points_to() -> None:
    deref = DerefInstr("var", "shader_out", "vec4", var_name="color")
    pointer = deref.make_def(0, 1, 32)
    store = IntrinsicInstr("store_deref", [Src(pointer), Src(Def(1, 4, 32))], {})
    assert [intrinsic_src_type(store, i) for i in range(2)] == ["", "float"]
    assert intrinsic_dest_type(IntrinsicInstr("load_deref", [Src(pointer)], {})) == "float"
    assert intrinsic_dest_type(IntrinsicInstr("load_deref", [], {})) == ""


def test_texture_sources_depend_on_the_operation() -> None:
    sample, fetch = TexInstr("txl", "float32", []), TexInstr("txf", "float32", [])
    assert [tex_src_type(sample, kind) for kind in ("coord", "lod", "bias")] == ["float", "float", "float"]
    assert [tex_src_type(fetch, kind) for kind in ("coord", "lod", "offset")] == ["int", "int", "int"]
    assert tex_src_type(sample, "texture_deref") == "uint"
