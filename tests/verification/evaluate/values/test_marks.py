"""Marks of sources, and values marked with them."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value


def value() -> Value:
    return Value(np.zeros((2, 3), np.uint32), 32)


def test_a_known_place_leaves_the_value_alone() -> None:
    loaded = Marks().marked(value())
    assert loaded.poison is None
    assert loaded.fragile is None


def test_all_components_of_an_uncertain_lane_are_marked() -> None:
    first, last = np.array([True, False, False]), np.array([False, False, True])
    loaded = Marks(poison=first, fragile=last).marked(value())
    assert loaded.poison is not None
    assert loaded.fragile is not None
    assert loaded.poison.tolist() == [[True, False, False]] * 2
    assert loaded.fragile.tolist() == [[False, False, True]] * 2


def test_marks_of_any_component_and_any_source() -> None:
    first, second = value(), value()
    first.poison = np.array([[True, False, False], [False, False, False]])
    second.poison = np.array([[False, False, False], [False, False, True]])
    second.error = np.array([[0.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    marks = Marks.of(first, second)
    assert marks.poison is not None
    assert marks.poison.tolist() == [True, False, True]
    assert marks.fragile is None
    marks.add(second, inexact=True)
    assert marks.fragile is not None
    assert marks.fragile.tolist() == [False, True, False]
