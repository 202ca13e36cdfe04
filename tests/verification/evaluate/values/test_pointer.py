"""Pointers: steps, arithmetic, alternatives."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.shader import Variable
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root, lanes_of, variable_name
from nirls.verification.evaluate.values.value import Value, select
from tests.verification.evaluate.shader_text import shader_of


def variable(name: str) -> Variable:
    line = f"decl_var uniform INTERP_MODE_NONE none vec4 {name} (~0, 0, 3)\n"
    return shader_of("    block b0:", head=line).variables_of_mode("uniform")[0]


def pointer(type_name: str) -> Pointer:
    return Pointer(Root("function_temp"), (), type_name)


def test_steps_into_arrays_matrices_and_vectors() -> None:
    element = pointer("mat4[3]").element(PointerIndex(2, 0), "mat4")
    column = element.element(PointerIndex(1, 0), "vec4")
    assert [(index.at, index.length) for index in column.indices()] == [(2, 3), (1, 4)]
    component = column.element(PointerIndex(3, 0), "float")
    assert component.component is not None
    assert (component.component.at, component.component.length) == (3, 4)
    with pytest.raises(Unsupported):
        component.element(PointerIndex(0, 0), "float")
    assert pointer("S").member("a", "vec4[2]").element(PointerIndex(0, 0), "vec4").shape() == ("a", "[]")


def test_arithmetic_moves_within_the_innermost_array() -> None:
    start = pointer("float[8]").element(PointerIndex(2, 0), "float")
    assert start.beyond(PointerIndex(3, 0)).indices()[0].at == 5
    lone = pointer("float")
    assert lone.beyond(PointerIndex(0, 0)) is lone
    with pytest.raises(Unsupported):
        lone.beyond(PointerIndex(1, 0))


def test_casts_keep_the_layout() -> None:
    assert pointer("vec4x16a0B").cast("vec4").type_name == "vec4x16a0B"
    with pytest.raises(Unsupported):
        pointer("vec4").cast("vec2")


def test_a_choice_of_pointers_keeps_both() -> None:
    first, second = pointer("float"), pointer("float")
    bits = np.zeros((1, 2), np.uint32)
    mask = np.array([True, False])
    values = [Value(bits, 32, pointer=item) for item in (first, second)]
    chosen = select(mask, *values).pointer
    assert chosen is not None
    assert chosen.root is second.root
    assert chosen.others[0][1] is first
    assert select(mask, values[0], Value(bits, 32)).pointer is first


def test_numbered_names_are_one_variable_and_nameless_ones_go_by_binding() -> None:
    assert variable_name(variable("color#0")) == variable_name(variable("color@1")) == "color"
    assert variable_name(variable("other")) == "other"


def test_one_index_for_all_lanes() -> None:
    assert lanes_of(PointerIndex(3, 4), 2).tolist() == [3, 3]
    assert lanes_of(PointerIndex(np.array([1, 2]), 4), 2).tolist() == [1, 2]


def test_a_step_goes_into_each_alternative() -> None:
    """As into a deref that a loop makes, behind the loop."""
    mask = np.array([True, False])
    both = pointer("vec4[3]").where(mask, pointer("vec4[3]"))
    column = both.element(PointerIndex(2, 0), "vec4")
    component = column.element(PointerIndex(1, 0), "float")
    for one in (component, component.others[0][1]):
        assert [index.at for index in one.indices()] == [2]
        assert one.component is not None
        assert one.component.at == 1
    assert component.others[0][0] is mask
    assert [index.at for index in column.beyond(PointerIndex(-1, 0)).others[0][1].indices()] == [1]
    every = both.element(PointerIndex(0, 0, is_every=True), "vec4")
    with pytest.raises(Unsupported):
        list(every.spelled_out())
