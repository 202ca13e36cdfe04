"""Lanes in the order of their groups, and what the lanes of a group have in common."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.values.grouped_lanes import GroupedLanes

GROUPS, LANES = np.array([7, 3, 7, 3, 9, 7]), np.array([0, 1, 2, 4, 5, 8])
GROUPED = GroupedLanes(GROUPS, LANES)


def test_the_lanes_of_a_group_are_neighbours_in_their_order() -> None:
    assert GROUPED.groups.tolist() == [3, 3, 7, 7, 7, 9]
    assert GROUPED.lanes.tolist() == [1, 4, 0, 2, 8, 5]
    assert GROUPED.is_first.tolist() == [True, False, True, False, False, True]
    assert (GROUPED.starts.tolist(), GROUPED.ends.tolist()) == ([0, 2, 5], [1, 4, 5])
    assert (GROUPS[GROUPED.order] == GROUPED.groups).all()
    assert GROUPED.unsorted(GROUPED.lanes).tolist() == LANES.tolist()


def test_many_lanes_stay_in_order() -> None:
    lanes = np.arange(1000)
    assert (GroupedLanes(lanes % 2, lanes).lanes == np.concatenate([lanes[::2], lanes[1::2]])).all()


@pytest.mark.parametrize("operation", [np.add, np.maximum, np.bitwise_or])
def test_what_a_group_makes_of_its_values(operation: np.ufunc) -> None:
    values = np.array([[1, 2, 4, 8, 16, 32], [5, 5, 6, 7, 7, 0]])
    combined = GROUPED.combine(operation, values)
    parts = (values[:, :2], values[:, 2:5], values[:, 5:])
    assert combined.T.tolist() == [operation.reduce(part, axis=1).tolist() for part in parts]
    assert GROUPED.of_groups(combined)[:, [0, 1]].tolist() == combined[:, [0, 0]].tolist()


def test_what_the_first_lane_of_a_group_says_is_for_all() -> None:
    assert GROUPED.of_first(np.array([5, 0, 6, 0, 0, 7])).tolist() == [5, 5, 6, 6, 6, 7]


def test_marks_reach_the_later_lanes_of_a_group() -> None:
    marks = np.array([False, True, False, True, False, False])
    assert GROUPED.has_begun(marks).tolist() == [False, True, False, True, True, False]


def test_the_lanes_of_a_group_take_turns() -> None:
    assert GROUPED.turns().tolist() == [0, 1, 0, 1, 2, 0]
    assert [(lanes.tolist(), numbers.tolist()) for lanes, numbers in GROUPED.at_turns()] == [
        ([1, 0, 5], [0, 1, 2]),
        ([4, 2], [0, 1]),
        ([8], [1]),
    ]


def test_what_the_lane_before_says() -> None:
    assert GROUPED.before(np.array([5, 0, 6, 0, 0, 7]))[1:].tolist() == [5, 0, 6, 0, 0]


def test_there_may_be_no_lanes() -> None:
    none = GroupedLanes(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert (len(none), none.starts.tolist(), none.ends.tolist(), none.at_turns()) == (0, [], [], [])
    assert none.has_begun(np.zeros(0, np.bool_)).tolist() == []
    assert none.of_groups(none.combine(np.add, np.zeros((2, 0)))).shape == (2, 0)
