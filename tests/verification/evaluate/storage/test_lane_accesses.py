"""Accesses in the order of places, and what the stores among them change."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses

ACCESSES = LaneAccesses(np.array([7, 3, 7, 3, 9, 7]), np.array([0, 1, 2, 4, 5, 8]))


def test_accesses_to_one_place_are_neighbours_in_the_order_of_lanes() -> None:
    assert ACCESSES.places.tolist() == [3, 3, 7, 7, 7, 9]
    assert ACCESSES.lanes.tolist() == [1, 4, 0, 2, 8, 5]


def test_a_store_changes_what_the_lane_before_has_stored() -> None:
    bits = np.array([1, 1, 2, 3, 3, 1], np.uint64)
    old = np.array([1, 1, 1, 1, 1, 1], np.uint64)
    known = np.ones(6, np.bool_)
    undefined = np.array([True, False, False, True, False, True])
    assert ACCESSES.changes(bits, old, known, None).tolist() == [False, False, True, True, False, False]
    assert ACCESSES.changes(bits, old, ~known, None).tolist() == [True, False, True, True, False, True]
    assert ACCESSES.changes(bits, old, known, undefined).tolist() == [False, True, True, True, True, False]
