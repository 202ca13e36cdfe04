"""Accesses in the order of places, and at each place in that of lanes."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses

PLACES, LANES = np.array([7, 3, 7, 3, 9, 7]), np.array([0, 1, 2, 4, 5, 8])
ACCESSES = LaneAccesses(PLACES, LANES)


def test_accesses_to_one_place_are_neighbours_in_the_order_of_lanes() -> None:
    assert ACCESSES.places.tolist() == [3, 3, 7, 7, 7, 9]
    assert ACCESSES.lanes.tolist() == [1, 4, 0, 2, 8, 5]
    assert ACCESSES.is_first.tolist() == [True, False, True, False, False, True]
    assert (ACCESSES.starts.tolist(), ACCESSES.ends.tolist()) == ([0, 2, 5], [1, 4, 5])
    assert (PLACES[ACCESSES.order] == ACCESSES.places).all()
    assert ACCESSES.unsorted(ACCESSES.lanes).tolist() == LANES.tolist()


def test_many_accesses_stay_in_order() -> None:
    lanes = np.arange(1000)
    assert (LaneAccesses(lanes % 2, lanes).lanes == np.concatenate([lanes[::2], lanes[1::2]])).all()


def test_what_the_first_access_to_a_place_says_is_for_all() -> None:
    assert ACCESSES.of_first(np.array([5, 0, 6, 0, 0, 7])).tolist() == [5, 5, 6, 6, 6, 7]


def test_marks_reach_the_later_accesses_to_the_same_place() -> None:
    marks = np.array([False, True, False, True, False, False])
    assert ACCESSES.has_begun(marks).tolist() == [False, True, False, True, True, False]


def test_accesses_to_one_place_take_turns() -> None:
    assert ACCESSES.turns().tolist() == [0, 1, 0, 1, 2, 0]


def test_what_the_access_before_says() -> None:
    assert ACCESSES.before(np.array([5, 0, 6, 0, 0, 7]))[1:].tolist() == [5, 0, 6, 0, 0]


def test_a_store_changes_what_the_lane_before_has_stored() -> None:
    bits = np.array([1, 1, 2, 3, 3, 1], np.uint64)
    old = np.array([1, 1, 1, 1, 1, 1], np.uint64)
    known = np.ones(6, np.bool_)
    undefined = np.array([True, False, False, True, False, True])
    assert ACCESSES.changes(bits, old, known, None).tolist() == [False, False, True, True, False, False]
    assert ACCESSES.changes(bits, old, ~known, None).tolist() == [True, False, True, True, False, True]
    assert ACCESSES.changes(bits, old, known, undefined).tolist() == [False, True, True, True, True, False]


def test_there_may_be_no_accesses() -> None:
    none = LaneAccesses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert (len(none), none.starts.tolist(), none.ends.tolist()) == (0, [], [])
    assert none.has_begun(np.zeros(0, np.bool_)).tolist() == []
