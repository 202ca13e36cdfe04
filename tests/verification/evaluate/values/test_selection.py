"""Components that pointers select, with the marks of the indices."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root
from nirls.verification.evaluate.values.selection import index_marks, pick_component, selected
from nirls.verification.evaluate.values.value import Value

VECTOR = Value(np.array([[1, 2, 3], [4, 5, 6]], np.uint32), 32)
ONE_UNDEFINED = np.array([[False, True, False]])


def test_a_component_out_of_bounds_is_undefined() -> None:
    picked = pick_component(VECTOR, np.array([0, 1, 2]))
    assert picked.bits[0, :2].tolist() == [1, 5]
    assert picked.poison is not None
    assert picked.poison.tolist() == [[False, False, True]]


def test_what_an_undefined_index_selects_is_undefined() -> None:
    index = PointerIndex(1, 2, poison=ONE_UNDEFINED)
    whole = Pointer(Root("ssbo"), (index,), "vec2")
    component = Pointer(Root("ssbo"), (), "vec2", index)
    for pointer in (whole, component):
        marks = index_marks(pointer).poison
        assert marks is not None
        assert marks.tolist() == [False, True, False]
    assert selected(whole, VECTOR).bits.tolist() == VECTOR.bits.tolist()
    chosen = selected(component, VECTOR)
    assert chosen.bits.tolist() == [[4, 5, 6]]
    assert chosen.poison is not None
    assert chosen.poison.tolist() == ONE_UNDEFINED.tolist()
