"""Handles of textures and images."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.handles import handle_of_pointer, handle_of_value
from nirls.ir.evaluate.pointer import Index, Pointer, Root
from nirls.ir.evaluate.value import Value
from tests.ir.evaluate.shader_text import shader_of

LINES = (
    "decl_var uniform INTERP_MODE_NONE none sampler2D[4] first (~0, 0, 0)\n"
    "decl_var uniform INTERP_MODE_NONE none sampler2D[4] second (~0, 0, 4)\n"
)
FIRST, SECOND = shader_of("    block b0:", head=LINES).variables_of_mode("uniform")


def element(which: int, at: object, poison: object = None) -> Pointer:
    variable = (FIRST, SECOND)[which]
    return Pointer(Root("uniform", variable), (), variable.type_name).element(
        Index(at, 0, poison),  # type: ignore[arg-type]
        "sampler2D",
    )


def test_variables_and_elements_are_told_apart() -> None:
    zero, other, next_one = (handle_of_pointer(element(*which), 2)[0] for which in ((0, 0), (1, 0), (0, 1)))
    assert zero[0] == zero[1]
    assert len({int(zero[0]), int(other[0]), int(next_one[0])}) == 3
    mixed = handle_of_pointer(element(0, np.array([0, 1])), 2)[0]
    assert mixed.tolist() == [zero[0], next_one[0]]


def test_an_undefined_element_is_passed_on() -> None:
    poison = handle_of_pointer(element(0, np.array([0, 1]), np.array([False, True])), 2)[1]
    assert poison is not None
    assert poison.tolist() == [False, True]


def test_alternatives_count_on_their_lanes() -> None:
    base = element(0, 0)
    mask = np.array([True, False])
    both = Pointer(base.root, base.path, base.type_name, None, ((mask, element(1, 0)),))
    expected = [handle_of_pointer(element(1, 0), 1)[0][0], handle_of_pointer(base, 1)[0][0]]
    assert handle_of_pointer(both, 2)[0].tolist() == expected


def test_handles_that_are_numbers() -> None:
    value = Value(np.array([[5, 5, 6]], np.uint32), 32, np.array([[False, True, False]]))
    hashes, poison, fragile = handle_of_value("image", value, 3)
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[0] != handle_of_value("texture", value, 3)[0][0]
    assert poison is not None
    assert poison.tolist() == [False, True, False]
    assert fragile is None
