"""Smooth functions in place of textures."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.texture_sampling import (
    ColorTerm,
    handle_of_pointer,
    handle_of_value,
    smooth_channel,
)
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import shader_of

LINES = (
    "decl_var uniform INTERP_MODE_NONE none sampler2D[4] first (~0, 0, 0)\n"
    "decl_var uniform INTERP_MODE_NONE none sampler2D[4] second (~0, 0, 4)\n"
)
FIRST, SECOND = shader_of("    block b0:", head=LINES).variables_of_mode("uniform")


def element(which: int, at: object, poison: object = None) -> Pointer:
    variable = (FIRST, SECOND)[which]
    return Pointer(Root("uniform", variable), (), variable.type_name).element(
        PointerIndex(at, 0, poison),  # type: ignore[arg-type]
        "sampler2D",
    )


def test_variables_and_elements_are_told_apart() -> None:
    zero, other, next_one = (handle_of_pointer(element(*which), 2)[0] for which in ((0, 0), (1, 0), (0, 1)))
    assert zero[0] == zero[1]
    assert len({int(zero[0]), int(other[0]), int(next_one[0])}) == 3
    mixed = handle_of_pointer(element(0, np.array([0, 1])), 2)[0]
    assert mixed.tolist() == [zero[0], next_one[0]]


def test_an_undefined_element_is_passed_on() -> None:
    poison = handle_of_pointer(element(0, np.array([0, 1]), np.array([[False, True]])), 2)[1].poison
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
    hashes, marks = handle_of_value("image", value, 3)
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[0] != handle_of_value("texture", value, 3)[0][0]
    assert marks.poison is not None
    assert marks.poison.tolist() == [False, True, False]
    assert marks.fragile is None


TEXTURE = np.zeros(64, np.uint64)


def at(place: np.ndarray, error: float | None = None, channel: str = "r"):  # type: ignore[no-untyped-def,type-arg]
    bound = None if error is None else np.full(64, error)
    return smooth_channel(Environment(1), TEXTURE, channel, [ColorTerm("coord0", place, bound)])


def test_nearby_places_look_alike_within_the_bound() -> None:
    place = np.linspace(-3, 3, 64)
    colors, reach = at(place, 1e-3)
    moved, _ = at(place + 1e-3)
    assert (np.abs(moved - colors) <= reach + 1e-12).all()
    assert (moved != colors).any()
    assert reach.max() < 0.01
    assert ((colors >= 0) & (colors <= 1)).all()
    assert np.ptp(colors) > 0.5


def test_channels_and_textures_differ() -> None:
    place = np.linspace(-3, 3, 64)
    assert (at(place)[0] != at(place, channel="g")[0]).any()
    other = smooth_channel(Environment(1), TEXTURE + np.uint64(1), "r", [ColorTerm("coord0", place)])[0]
    assert (at(place)[0] != other).any()


def test_infinite_places_have_a_colour_and_no_bound_means_any() -> None:
    place = np.full(64, np.inf)
    assert np.isfinite(at(place)[0]).all()
    assert (at(np.zeros(64), np.inf)[1] == 1.0).all()
    assert (at(np.zeros(64), np.nan)[1] == 1.0).all()


def test_a_part_of_a_texture_is_exactly_nought_or_one() -> None:
    colors, _ = at(np.linspace(-20, 20, 64))
    assert 4 < np.count_nonzero(colors == 0.0) < 24
    assert 4 < np.count_nonzero(colors == 1.0) < 24


def test_well_beyond_its_ends_a_texture_does_not_move() -> None:
    colors, reach = at(np.linspace(-20, 20, 64), 1e-3)
    assert (reach[colors == 1.0] == 0).any()
    assert (reach[(colors > 0) & (colors < 1)] > 0).all()
