"""Stored outputs by lane, patch and vertex."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.surroundings.launch import launch_for, tess_ctrl_launch
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.value import KEPT_ZERO, LEAST_ERROR, Value
from tests.verification.evaluate.shader_text import shader_of

KEY = OutputKey(32, 0)
NUMBERS = Value(np.arange(8, dtype=np.uint32)[None], 32)
ALL = np.ones(8, np.bool_)


def test_lanes_have_outputs_of_their_own() -> None:
    store = OutputStore(launch_for(shader_of("    block b0:"), 8))
    store.store(KEY, NUMBERS, np.arange(8) < 4)
    found = store.load(KEY, 32, 8)
    assert found.poison is not None
    assert found.poison.tolist() == [[False] * 4 + [True] * 4]
    assert found.bits[0, :4].tolist() == [0, 1, 2, 3]
    assert store.load(OutputKey(33, 0), 32, 8).poison is not None


def test_a_patch_has_its_outputs_in_common() -> None:
    store = OutputStore(tess_ctrl_launch(2, 3, 4))
    store.store(KEY, NUMBERS, ALL)
    assert store.load(KEY, 32, 8).bits.tolist() == [[3] * 4 + [7] * 4]
    vertex = np.arange(8) % 4
    store.store(OutputKey(33, 0), NUMBERS, ALL, vertex)
    assert store.load(OutputKey(33, 0), 32, 8, 3 - vertex).bits.tolist() == [[3, 2, 1, 0, 7, 6, 5, 4]]
    beyond = store.load(OutputKey(33, 0), 32, 8, vertex + 1).poison
    assert beyond is not None
    assert beyond.tolist() == [[False, False, False, True] * 2]


def test_a_snapshot_stays_and_forgetting_is_for_some_lanes() -> None:
    store = OutputStore(launch_for(shader_of("    block b0:"), 8))
    store.store(KEY, NUMBERS, ALL)
    before = store.snapshot()
    store.forget(np.arange(8) < 2)
    assert before[KEY].written.all()
    assert store.planes[KEY].written[:, 0].tolist() == [False] * 2 + [True] * 6


def test_an_equal_store_of_another_invocation_is_doubtful_if_rounding_made_it_equal() -> None:
    launch = tess_ctrl_launch(2, 3, 4)
    same = np.full((1, 8), 0x3F800000, np.uint32)
    rounded, certain = Value(same, 32, error=np.full((1, 8), 2.0**-140)), Value(same, 32)
    first = np.arange(8) % 4 == 0

    def is_doubtful(one: Value, other: Value, *, is_ordered: bool = False) -> bool:
        store = OutputStore(launch)
        store.races = RaceWatch.of(launch, 1)
        assert store.races is not None
        store.store(KEY, one, ALL)
        if is_ordered:
            store.races.barrier(ALL, waits=True, whole_group=True, fence=None)
        store.store(KEY, other, first)
        assert not store.planes[KEY].poison.any()
        return bool(store.planes[KEY].fragile.all())

    assert is_doubtful(rounded, certain)
    assert is_doubtful(certain, rounded)
    assert not is_doubtful(certain, certain)
    assert not is_doubtful(rounded, certain, is_ordered=True)
    # All invocations store the result of one instruction, also after one of them did.
    store = OutputStore(launch)
    store.races = RaceWatch.of(launch, 1)
    store.store(KEY, rounded, first)
    store.store(KEY, rounded, ALL)
    assert not store.planes[KEY].fragile.any()
    # What is unwritten again does not count.
    store.forget(ALL)
    store.store(KEY, rounded, first)
    assert not store.planes[KEY].fragile.any()


@pytest.mark.parametrize(
    ("bits", "error"), [(0x7FC00000, np.inf), (0, LEAST_ERROR), (0x80000000, LEAST_ERROR), (0, 2.0**-140)]
)
def test_a_store_of_several_invocations_is_doubtful_if_operands_may_differ(bits: int, error: float) -> None:
    launch = tess_ctrl_launch(2, 3, 4)
    store = OutputStore(launch)
    store.races = RaceWatch.of(launch, 1)
    value = Value(np.full((1, 8), bits, np.uint32), 32, error=np.full((1, 8), error))
    store.store(KEY, value, np.arange(8) % 4 == 0)
    assert not store.planes[KEY].fragile.any()
    store.store(KEY, value, ALL)
    assert store.planes[KEY].fragile.all()
    assert not store.planes[KEY].poison.any()


@pytest.mark.parametrize(("bits", "error"), [(0, 0.0), (0, KEPT_ZERO), (0x3F800000, LEAST_ERROR)])
def test_a_store_of_several_invocations_is_certain_if_they_round_alike(bits: int, error: float) -> None:
    launch = tess_ctrl_launch(2, 3, 4)
    store = OutputStore(launch)
    store.races = RaceWatch.of(launch, 1)
    store.store(KEY, Value(np.full((1, 8), bits, np.uint32), 32, error=np.full((1, 8), error)), ALL)
    assert not store.planes[KEY].fragile.any()
