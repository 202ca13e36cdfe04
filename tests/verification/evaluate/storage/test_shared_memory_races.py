"""Shared variables: which components race, and which places a store makes undefined."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.storage.shared_memory_races import SharedMemoryRaces
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import shader_of

LAUNCH = launch_for(shader_of("    block b0:", "COMPUTE", "workgroup_size: 2, 1, 1\n"), 4)
ALL = np.ones(4, np.bool_)


def watch(elements: int, width: int) -> SharedMemoryRaces:
    races = RaceWatch.of(LAUNCH, 1)
    assert races is not None
    return SharedMemoryRaces(races, "shared", Cells(elements, width, 32, LAUNCH.group_count))


def value(*rows: list[int]) -> Value:
    return Value(np.array(rows, np.uint32), 32)


def test_different_values_at_one_place_race_in_each_group() -> None:
    assert watch(1, 1).store(0, None, value([1, 2, 3, 3]), 1, ALL, LAUNCH.group).tolist() == [0]
    assert (
        watch(2, 1).store(LAUNCH.invocation, None, value([1, 2, 3, 4]), 1, ALL, LAUNCH.group).tolist() == []
    )


def test_components_are_watched_one_by_one() -> None:
    both = watch(1, 2)
    first, second = LAUNCH.invocation == 0, LAUNCH.invocation == 1
    assert both.store(0, None, value([1] * 4, [2] * 4), 0b01, first, LAUNCH.group).tolist() == []
    assert both.store(0, LAUNCH.invocation, value([5] * 4), 1, second, LAUNCH.group).tolist() == []
    racing = both.load(0, None, ALL, LAUNCH.group)
    assert racing.tolist() == [[False, True, False, True], [True, False, True, False]]


def test_a_load_that_another_lane_overtakes_is_remembered() -> None:
    """Both lanes of a group load a place, then one of them stores to it without a barrier between."""
    races = RaceWatch.of(LAUNCH, 1)
    assert races is not None
    shared = SharedMemoryRaces(races, "shared", Cells(1, 1, 32, LAUNCH.group_count))
    assert not shared.load(0, None, ALL, LAUNCH.group).any()
    assert shared.store(0, None, value([7] * 4), 1, LAUNCH.invocation == 0, LAUNCH.group).tolist() == [0, 1]
    assert races.overtaken.tolist() == [False, True, False, True]


def test_places_outside_of_the_array_do_not_exist() -> None:
    one = watch(1, 1)
    assert one.store(1, None, value([1, 2, 3, 4]), 1, ALL, LAUNCH.group).tolist() == []
    assert not one.load(-1, None, ALL, LAUNCH.group).any()


def test_a_value_narrower_than_the_vector_fills_the_write_mask_in_order() -> None:
    races = RaceWatch.of(LAUNCH, 1)
    assert races is not None
    cells = Cells(1, 3, 32, LAUNCH.group_count)
    cells.bits[0, :, :], cells.poison[0, :, :] = [[7, 7], [8, 8], [9, 9]], False
    shared = SharedMemoryRaces(races, "shared", cells)
    first, second = LAUNCH.invocation == 0, LAUNCH.invocation == 1
    assert shared.store(0, None, value([8] * 4, [9] * 4), 0b110, first, LAUNCH.group).tolist() == []
    # What is there already may be stored again by another lane, anything else not.
    assert shared.store(0, None, value([8] * 4, [9] * 4), 0b110, second, LAUNCH.group).tolist() == []
    places = shared.store(0, None, value([9] * 4, [8] * 4), 0b110, first, LAUNCH.group).tolist()
    assert places == [2, 3, 4, 5]


def test_a_write_mask_may_name_more_components_than_are_stored() -> None:
    two, bits = watch(1, 3), value([1, 2, 3, 3], [4] * 4)
    assert two.store(0, None, bits, 0b111, ALL, LAUNCH.group).tolist() == [0]


def test_undefined_contents_are_always_changed() -> None:
    one, bits = watch(1, 1), value([0] * 4)
    assert one.store(0, None, bits, 1, LAUNCH.invocation == 0, LAUNCH.group).tolist() == []
    assert one.store(0, None, bits, 1, LAUNCH.invocation == 1, LAUNCH.group).tolist() == [0, 1]


def test_the_parts_of_an_atomic_do_not_race_with_another_one() -> None:
    races = RaceWatch.of(LAUNCH, 1)
    assert races is not None
    shared = SharedMemoryRaces(races, "shared", Cells(1, 1, 32, LAUNCH.group_count))
    for invocation in (0, 1):
        with races.atomically():
            own = LAUNCH.invocation == invocation
            assert not shared.load(0, None, own, LAUNCH.group).any()
            assert shared.store(0, None, value([invocation] * 4), 1, own, LAUNCH.group).tolist() == []
    assert shared.load(0, None, ALL, LAUNCH.group).all()
