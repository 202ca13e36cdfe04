"""Slots of I/O variables and their parts."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.steps.variables.slots import (
    IoPlace,
    io_place,
    part_place,
    structs_without_slots,
)
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root
from tests.verification.evaluate.shader_text import shader_of, store


def first_store(line: str) -> IntrinsicInstr:
    shader = shader_of(
        f"    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n{line}\n                // succs: b99"  # noqa: E501
    )
    entry = shader.entrypoint
    assert entry is not None
    return next(instr for instr in entry.instrs() if isinstance(instr, IntrinsicInstr))


def test_semantics_say_the_slot() -> None:
    line = store("0", "0", "VARYING_SLOT_VAR3", 2).replace("slots=1", "slots=2 high_16bits")
    assert io_place(first_store(line)) == IoPlace(35, 2, True, "float")
    assert io_place(first_store(line.replace("float32", "uint16"))).base == "uint"


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


def test_unknown_slots_are_told_apart_by_their_base() -> None:
    line = store("0", "0").replace("io location=VARYING_SLOT_VAR0 slots=1, ", "")
    first, second = io_place(first_store(line)), io_place(first_store(line.replace("base=0", "base=1")))
    assert first.slot != second.slot
    assert first.slot < 0


def test_vectors_run_on_into_the_next_slot() -> None:
    place = IoPlace(32, 2, False, "float")
    assert [place.at(number, 32) for number in range(3)] == [(32, 2), (32, 3), (33, 0)]
    assert [place.at(number, 64) for number in range(2)] == [(32, 2), (33, 0)]


def test_halves_of_a_dvec4_attribute_are_apart() -> None:
    line = (
        "    32x4   %1 = @load_input (%0) (base=0, component=0, dest_type=uint32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)"
    )
    low, high = (
        io_place(first_store(line)),
        io_place(first_store(line.replace("slots=1", "slots=1 high_dvec2"))),
    )
    assert [low.at(number, 32) for number in range(4)] == [(low.slot, number) for number in range(4)]
    assert [high.at(number, 32) for number in range(4)] == [(low.slot + 1, number) for number in range(4)]


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
