from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from tests.ir.mesa_test.building import built_lines, lines_of

ARRAY = "decl_var shader_temp INTERP_MODE_NONE none vec4[4] a"
VAR = "32  %0 = deref_var &a (shader_temp vec4[4])"


def test_arrays_and_casts() -> None:
    lines = built_lines(
        VAR,
        "32  %1 = load_const (0x00000002)",
        "32  %2 = deref_array &(*%0)[2] (shader_temp vec4)  // &a[2]",
        "32  %3 = deref_array &(*%0)[*] (shader_temp vec4)  // &a[*]",
        "32  %4 = deref_cast (vec4 *)%2 (shader_temp vec4)  (ptr_stride=16, align_mul=8, align_offset=4)",
        "32  %5 = deref_ptr_as_array &(*%4)[%1 (0x2)] (shader_temp vec4)  // &(*(vec4 *)%2)[%1]",
        header=[ARRAY.replace("shader_temp ", "")],
    )
    assert "nir_deref_instr *ssa_2 = nir_build_deref_array(b, ssa_0, ssa_1);" in lines
    assert "nir_deref_instr *ssa_3 = nir_build_deref_array_wildcard(b, ssa_0);" in lines
    cast = "&ssa_2->def, nir_var_shader_temp, glsl_vec_type(4), 16, 8, 4"
    assert f"nir_deref_instr *ssa_4 = nir_build_deref_cast_with_alignment(b, {cast});" in lines
    assert lines[-1] == "nir_deref_instr *ssa_5 = nir_build_deref_ptr_as_array(b, ssa_4, ssa_1);"


def test_loads_and_stores_of_whole_values_are_short() -> None:
    lines = built_lines(
        "32  %0 = deref_var &a (function_temp vec4)",
        "32x4  %1 = @load_deref (%0) (access=none)",
        "@store_deref (%0, %1) (wrmask=xy, access=coherent)",
        "@copy_deref (%0, %0) (dst_access=none, src_access=none)",
        header=["decl_var INTERP_MODE_NONE none vec4 a"],
    )
    assert lines[-3:] == [
        "nir_def *ssa_1 = nir_load_deref(b, ssa_0);",
        "nir_store_deref_with_access(b, ssa_0, ssa_1, 0x3, ACCESS_COHERENT);",
        "nir_copy_deref(b, ssa_0, ssa_0);",
    ]


def test_a_constant_index_may_stand_in_a_block_that_dominates() -> None:
    text = b"""shader: MESA_SHADER_FRAGMENT
decl_var uniform INTERP_MODE_NONE none vec4[4] a (0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds: , succs: b1
    loop {
        block b1:  // preds: b0
        32    %0 = load_const (0x00000001)
        break
        // succs: b2
    }
    block b2:  // preds: b1
    32    %1 = deref_var &a (uniform vec4[4])
    32    %2 = deref_array &(*%1)[1] (uniform vec4)  // &a[1]
    // succs: b3
    block b3:
}
"""
    assert (
        lines_of(parse_dump(text))[-1] == "nir_deref_instr *ssa_2 = nir_build_deref_array(b, ssa_1, ssa_0);"
    )
