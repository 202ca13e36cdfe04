"""Inputs, outputs and system values by derefs."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.steps.variables.inputs_outputs import (
    BUILT_IN_NAMES,
    part_place,
    structs_without_slots,
)
from nirls.verification.evaluate.supported import supported_intrinsics
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root
from tests.verification.evaluate.shader_text import VAR0, shader_of, store, stored
from tests.verification.evaluate.steps.deref_lines import run_lines


def test_every_system_value_can_be_loaded() -> None:
    known = supported_intrinsics()
    assert len(BUILT_IN_NAMES) > 30
    missing = {
        value for value in BUILT_IN_NAMES.values() if value not in known and f"load_{value}" not in known
    }
    assert missing == set()


def test_vertex_numbers_differ_by_what_they_count_from() -> None:
    assert BUILT_IN_NAMES["gl_InstanceID"] != BUILT_IN_NAMES["gl_InstanceIndex"]
    assert BUILT_IN_NAMES["gl_PrimitiveIDIn"] == BUILT_IN_NAMES["gl_PrimitiveID"]


def test_a_store_to_an_output_variable_is_a_store_to_its_slot() -> None:
    result = run_lines(
        "    32x2   %3 = vec2 %2, %1",
        "    32     %4 = deref_var &o (shader_out vec2)",
        "                @store_deref (%4, %3) (wrmask=xy, access=none)",
        "    32x2   %5 = @load_deref (%4) (access=none)",
        "    32     %6 = mov %5.x",
        store("6", "0", "VARYING_SLOT_VAR1"),
        head="decl_var shader_out INTERP_MODE_NONE none vec2 o (VARYING_SLOT_VAR0.zw, 0, 0)\n",
    )
    assert set(result.outputs) == {OutputKey(VAR0, 2), OutputKey(VAR0, 3), OutputKey(VAR0 + 1, 0)}
    assert stored(result, 2) == stored(result, 0, VAR0 + 1) == list(range(8))
    assert stored(result, 3) == [1] * 8


def test_a_boolean_output_is_an_integer_of_32_bits() -> None:
    head = "decl_var shader_out INTERP_MODE_NONE none bool o (VARYING_SLOT_VAR0.x, 0, 0)\n"
    for compare in ("1      %3 = ieq %0, %0", "32     %3 = ieq32 %0, %0"):
        result = run_lines(
            f"    {compare}",
            "    32     %4 = deref_var &o (shader_out bool)",
            "                @store_deref (%4, %3) (wrmask=x, access=none)",
            "    1      %5 = @load_deref (%4) (access=none)",
            "    32     %6 = b2i32 %5",
            store("6", "0", "VARYING_SLOT_VAR1"),
            head=head,
        )
        assert stored(result) == [0xFFFFFFFF] * 8
        assert stored(result, 0, VAR0 + 1) == [1] * 8


def test_an_input_variable_and_an_input_load_see_the_same() -> None:
    result = run_lines(
        "    32     %3 = deref_var &i (shader_in vec4)",
        "    32x4   %4 = @load_deref (%3) (access=none)",
        "    32     %5 = mov %4.y",
        "    32     %6 = @load_input (%0 (0x0)) (base=0, range=1, component=1, dest_type=float32, "
        "io location=VERT_ATTRIB_GENERIC0 slots=1)",
        store("5", "0"),
        store("6", "0", component=1),
        head="decl_var shader_in INTERP_MODE_NONE none vec4 i (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)\n",
    )
    assert stored(result) == stored(result, 1)
    assert len(set(stored(result))) > 1


def test_a_system_variable_is_its_system_value() -> None:
    result = run_lines(
        "    32     %3 = deref_var &gl_VertexID (system int)",
        "    32     %4 = @load_deref (%3) (access=none)",
        "    32     %5 = @load_vertex_id",
        store("4", "0"),
        store("5", "0", component=1),
        head="decl_var system INTERP_MODE_NONE none int gl_VertexID (SYSTEM_VALUE_VERTEX_ID)\n",
    )
    assert stored(result) == stored(result, 1)


def test_structs_are_found_wherever_their_members_are_named() -> None:
    text = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = deref_var &s (shader_out S)
    32     %2 = deref_struct &%1->m (shader_out float)  // &s.m
                @store_deref (%2, %0) (wrmask=x, access=none)
    32     %3 = deref_var &gl_out (shader_out gl_PerVertex)
    32     %4 = deref_struct &%3->gl_PointSize (shader_out float)  // &gl_out.gl_PointSize
                @store_deref (%4, %0) (wrmask=x, access=none)
                // succs: b99"""
    head = (
        "decl_var shader_out INTERP_MODE_NONE none S s (VARYING_SLOT_VAR0.x, 0, 0)\n"
        "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex gl_out (VARYING_SLOT_POS.xyzw, 0, 0)\n"
    )
    assert structs_without_slots(shader_of(text, head=head)) == {"s"}


def variable(line: str) -> Variable:
    return shader_of("    block b0:", head=line + "\n").variables[0]


def test_elements_and_components_add_up() -> None:
    found = variable("decl_var shader_out INTERP_MODE_NONE none vec3[2] o (VARYING_SLOT_VAR1.yzw, 0, 0)")
    base = Pointer(Root("shader_out", found), (), found.type_name)
    pointer = base.element(PointerIndex(np.array([0, 1]), 0), "vec3").element(PointerIndex(2, 0), "float")
    place = part_place(pointer, Stage.VERTEX, 2)
    assert place.slot == 33
    assert place.shift.tolist() == [0, 1]
    assert place.component.tolist() == [3, 3]
    assert place.vertex is None


def test_the_first_array_of_a_patch_output_is_its_vertices() -> None:
    found = variable("decl_var shader_out INTERP_MODE_NONE none vec4[3][2] o (VARYING_SLOT_VAR1.xyzw, 0, 0)")
    base = Pointer(Root("shader_out", found), (), found.type_name)
    pointer = base.element(PointerIndex(2, 0), "vec4[2]").element(PointerIndex(1, 0), "vec4")
    place = part_place(pointer, Stage.TESS_CTRL, 2)
    assert place.vertex is not None
    assert place.vertex.tolist() == [2, 2]
    assert place.shift.tolist() == [1, 1]


def test_an_element_out_of_bounds_is_undefined() -> None:
    found = variable("decl_var shader_in INTERP_MODE_NONE none vec4[3] i (VARYING_SLOT_VAR1.xyzw, 0, 0)")
    base = Pointer(Root("shader_in", found), (), found.type_name)
    elements = np.array([0, 2, 3, -1])
    marks = part_place(base.element(PointerIndex(elements, 0), "vec4"), Stage.FRAGMENT, 4).marks
    assert marks.poison is not None
    assert marks.poison.tolist() == [[False, False, True, True]]
    inside = base.element(PointerIndex(2, 0), "vec4")
    assert part_place(inside, Stage.FRAGMENT, 4).marks.poison is None
    component = inside.element(PointerIndex(np.array([0, 3, 4, 1]), 0), "float")
    marks = part_place(component, Stage.FRAGMENT, 4).marks
    assert marks.poison is not None
    assert marks.poison.tolist() == [[False, False, True, False]]
