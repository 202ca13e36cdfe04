"""Declaration lines and header fields as IR."""

from __future__ import annotations

from nirls.ir.model.shader import Function, Variable
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.normalize import normalize


def variable(line: str) -> Variable:
    shader = parse_dump(f"shader: MESA_SHADER_FRAGMENT\n{line}\n".encode())
    assert not shader.unreadable
    (found,) = shader.variables
    return found


def function(line: str) -> Function:
    (found,) = parse_dump(f"shader: MESA_SHADER_KERNEL\n{line}\n".encode()).functions
    return found


def test_a_variable_with_everything() -> None:
    found = variable(
        "decl_var centroid patch shader_in INTERP_MODE_FLAT none highp vec4[2] color"
        " (VARYING_SLOT_VAR3.xyzw, 7, 1) compact = { { 0.0 } }  // mine"
    )
    assert found.qualifiers == ("centroid", "patch")
    assert (found.mode, found.interpolation, found.precision) == ("shader_in", "INTERP_MODE_FLAT", "highp")
    assert (found.type_name, found.name) == ("vec4[2]", "color")
    assert (found.location, found.driver_location) == ("VARYING_SLOT_VAR3.xyzw", 7)
    assert found.data == ("7", "1")
    assert found.trailing == ("compact",)
    assert found.initializer == "{ { 0.0 } }"
    assert found.comment == "// mine"


def test_an_image_has_a_format_and_access() -> None:
    found = variable("decl_var image INTERP_MODE_NONE restrict writeonly r32_uint uimage2D img (~0, 0, 4)")
    assert found.access == ("restrict", "writeonly")
    assert found.image_format == "r32_uint"
    assert found.location == "~0"


def test_modes_of_the_newest_releases() -> None:
    assert variable("decl_var resource_heap INTERP_MODE_NONE none uint8_t[] heap").mode == "resource_heap"
    assert variable("decl_var pixel_local INTERP_MODE_NONE none vec4 p").mode == "pixel_local"


def test_locals_print_no_mode() -> None:
    shader = parse_dump(
        b"shader: MESA_SHADER_VERTEX\ndecl_var  INTERP_MODE_NONE none float t\n"
        b"impl main {\n    decl_var  INTERP_MODE_NONE none float t\n    block b0:  // preds:, succs: b1\n"
        b"    block b1:\n}\n"
    )
    (impl,) = shader.impls()
    assert [one.mode for one in shader.variables] == ["shader_temp"]
    assert [one.mode for one in impl.locals] == ["function_temp"]


def test_structs_without_a_name() -> None:
    text = b"""shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_var shared INTERP_MODE_NONE none  sh
decl_var ssbo INTERP_MODE_NONE restrict [4] buffers (0, 0, 2)
decl_function main () (entrypoint)

impl main {
    decl_var  INTERP_MODE_NONE none  local
    block b0:  // preds:
    32    %0 = load_const (0x00000000 = 0.000000)
    32    %1 = deref_var &sh (shared )
    32    %2 = deref_struct &%1->v (shared vec3[8])  // &sh.v
    32    %3 = deref_var &buffers (ssbo [4])
    32    %4 = deref_array &(*%3)[1] (ssbo )  // &buffers[1]
    32    %5 = deref_cast ( *)%0 (ssbo )  (ptr_stride=0, align_mul=16, align_offset=0)
               // succs: b1
    block b1:
}

"""
    shader = parse_dump(text)
    assert shader.unreadable == []
    assert [(variable.name, variable.type_name) for variable in shader.variables] == [
        ("sh", ""),
        ("buffers", "[4]"),
    ]
    (impl,) = shader.impls()
    assert [(variable.name, variable.type_name) for variable in impl.locals] == [("local", "")]
    assert normalize(shader) == text.rstrip() + b"\n"


def test_functions() -> None:
    found = function("decl_function f (32x4 color, 64 return) (inline) (entrypoint) (64x1x1)")
    assert [(param.num_components, param.bit_size) for param in found.params] == [(4, 32), (1, 64)]
    assert [param.text for param in found.params] == ["32x4 color", "64 return"]
    assert found.is_entrypoint
    assert found.text.endswith("(64x1x1)")
    assert not function("decl_function f (2 params)").is_entrypoint


def test_registers_of_old_dialects() -> None:
    shader = parse_dump(
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tdecl_reg vec4 32 r3[8]\n\tdecl_reg vec1 1 gr0\n"
        b"\tblock block_0:\n\t/* preds: */\n\t/* succs: block_1 */\n\tblock block_1:\n}\n"
    )
    (impl,) = shader.impls()
    sizes = [(reg.index, reg.num_components, reg.bit_size, reg.num_array_elems) for reg in impl.registers]
    assert sizes == [(3, 4, 32, 8), (-1, 1, 1, 0)]


def test_header_fields_are_stripped() -> None:
    shader = parse_dump(b"shader: MESA_SHADER_VERTEX\nname:   GLSL 3  \nray queries: 1\n")
    assert [(field.key, field.value) for field in shader.header[1:]] == [
        ("name", "GLSL 3"),
        ("ray queries", "1"),
    ]
