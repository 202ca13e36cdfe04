"""The sets of lanes."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.state.lane_masks import LaneMasks
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import undefined_value
from tests.verification.evaluate.shader_text import shader_of
from tests.verification.evaluate.state.test_state import number

FIRST, LAST = np.array([True, False, False, False]), np.array([False, False, False, True])


def masks() -> LaneMasks:
    return LaneMasks.of(launch_for(shader_of("    block b0:"), 4))


def test_demoted_lanes_run_without_effect() -> None:
    lanes = masks()
    lanes.demoted = FIRST
    assert lanes.active.all()
    assert lanes.effective().tolist() == [False, True, True, True]


def test_none_runs_if_none_is_active() -> None:
    lanes = masks()
    lanes.set_active(np.zeros(4, np.bool_))
    assert not lanes.running


def test_deciding_by_an_undefined_condition_is_noted_for_running_lanes() -> None:
    lanes = masks()
    lanes.set_active(np.array([True, True, False, False]))
    lanes.decide(undefined_value(1, 1, 4))
    assert lanes.poisoned.tolist() == [True, True, False, False]
    assert lanes.decide(number(1)).all()
    assert not lanes.certain().any()


def test_what_undecided_lanes_store_is_undefined() -> None:
    lanes = masks()
    assert lanes.stored(number(1)).poison is None
    lanes.undecided = LAST
    poison = lanes.stored(number(1)).poison
    assert poison is not None
    assert poison.tolist() == [LAST.tolist()]
    assert lanes.counts_as_run
    lanes.undecided = lanes.active
    assert not lanes.counts_as_run


def test_a_store_to_an_undefined_place_may_reach_what_others_read() -> None:
    lanes = masks()
    lanes.note_lost_store(Marks(FIRST, LAST), lanes.active)
    assert (lanes.poisoned.tolist(), lanes.fragile.tolist()) == (FIRST.tolist(), LAST.tolist())
    assert lanes.astray.tolist() == FIRST.tolist()
    private = masks()
    private.note_lost_store(Marks(FIRST), private.active, is_private=True)
    assert not private.astray.any()


def test_lanes_that_are_stopped_are_kept_by_reason() -> None:
    lanes = masks()
    lanes.give_up(FIRST, "too long")
    lanes.give_up(LAST, "too long")
    assert lanes.given_up["too long"].tolist() == [True, False, False, True]
    assert lanes.poisoned.tolist() == [True, False, False, True]
