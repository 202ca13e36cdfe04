"""Planes of outputs."""

from __future__ import annotations

from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane


def test_growing_keeps_what_is_there() -> None:
    plane = OutputPlane(2, 1)
    plane.bits[1, 0], plane.written[1, 0] = 7, True
    plane.grow(3)
    assert plane.vertices == 3
    assert plane.bits.tolist() == [[0, 0, 0], [7, 0, 0]]
    assert plane.written.tolist() == [[False] * 3, [True, False, False]]
    plane.grow(1)
    assert plane.vertices == 3


def test_a_copy_is_its_own() -> None:
    plane = OutputPlane(1, 1)
    twin = plane.copy()
    plane.bits[0, 0], plane.poison[0, 0] = 5, True
    assert twin.bits[0, 0] == 0
    assert not twin.poison[0, 0]


def test_halves_of_a_component_are_different_outputs() -> None:
    assert OutputKey(32, 0) != OutputKey(32, 0, True)
