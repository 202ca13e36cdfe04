"""What is loaded from an uncertain place is uncertain."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.steps.uncertain_place import UncertainPlace
from nirls.ir.evaluate.value import Value


def value() -> Value:
    return Value(np.zeros((2, 3), np.uint32), 32)


def test_a_known_place_leaves_the_value_alone() -> None:
    loaded = UncertainPlace().marked(value())
    assert loaded.poison is None
    assert loaded.fragile is None


def test_all_components_of_an_uncertain_lane_are_marked() -> None:
    first, last = np.array([True, False, False]), np.array([False, False, True])
    loaded = UncertainPlace(poison=first, fragile=last).marked(value())
    assert loaded.poison is not None
    assert loaded.fragile is not None
    assert loaded.poison.tolist() == [[True, False, False]] * 2
    assert loaded.fragile.tolist() == [[False, False, True]] * 2
