"""Shared variables under watch: which components of which elements race."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.launch import launch_for
from nirls.ir.evaluate.races import RaceWatch
from nirls.ir.evaluate.shared_watch import SharedWatch
from nirls.ir.evaluate.value import Value
from tests.ir.evaluate.shader_text import shader_of

LAUNCH = launch_for(shader_of("    block b0:", "COMPUTE", "workgroup_size: 2, 1, 1\n"), 4)
ALL = np.ones(4, np.bool_)


def watch(elements: int, width: int) -> SharedWatch:
    races = RaceWatch.of(LAUNCH, 1)
    assert races is not None
    return SharedWatch(races, "shared", Cells(elements, width, 32, LAUNCH.group_count))


def value(*rows: list[int]) -> Value:
    return Value(np.array(rows, np.uint32), 32)


def test_different_values_at_one_place_race_in_each_group() -> None:
    assert watch(1, 1).store(0, None, value([1, 2, 3, 3]), 1, ALL, LAUNCH.group) == [(0, 0, 0)]
    assert watch(2, 1).store(LAUNCH.invocation, None, value([1, 2, 3, 4]), 1, ALL, LAUNCH.group) == []


def test_components_are_watched_one_by_one() -> None:
    both = watch(1, 2)
    first, second = LAUNCH.invocation == 0, LAUNCH.invocation == 1
    assert both.store(0, None, value([1] * 4, [2] * 4), 0b01, first, LAUNCH.group) == []
    assert both.store(0, LAUNCH.invocation, value([5] * 4), 1, second, LAUNCH.group) == []
    racing = both.load(0, None, ALL, LAUNCH.group)
    assert racing.tolist() == [[False, True, False, True], [True, False, True, False]]


def test_places_outside_of_the_array_do_not_exist() -> None:
    one = watch(1, 1)
    assert one.store(1, None, value([1, 2, 3, 4]), 1, ALL, LAUNCH.group) == []
    assert not one.load(-1, None, ALL, LAUNCH.group).any()
