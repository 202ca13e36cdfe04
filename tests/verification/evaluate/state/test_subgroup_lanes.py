"""Subgroups of workgroups and of other invocations, and lanes by their number in them."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.state.subgroup_lanes import lane_with, subgroup_invocation, subgroup_of_lane
from nirls.verification.evaluate.surroundings.environment import Environment
from tests.verification.evaluate.shader_text import shader_of

NOTHING = "    block b0:   // preds:\n                // succs: b99"


def state_of(stage: str, lanes: int, head: str = "") -> State:
    """The state at the end of an empty shader in subgroups of 4."""
    states: list[State] = []
    machine = Machine(shader_of(NOTHING, stage, head))
    machine.run(Environment(1, subgroup_size=4), lanes=lanes, options=RunOptions(at_end=states.append))
    (state,) = states
    return state


def test_workgroups_do_not_share_subgroups() -> None:
    state = state_of("COMPUTE", 12, "workgroup_size: 6, 1, 1\n")
    assert subgroup_of_lane(state).tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3]
    assert subgroup_invocation(state).tolist() == [0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 0, 1]


def test_lane_with_a_number_is_in_the_same_subgroup() -> None:
    state = state_of("VERTEX", 6)
    assert subgroup_of_lane(state).tolist() == [0, 0, 0, 0, 1, 1]
    assert lane_with(state, np.full(6, 1)).tolist() == [1, 1, 1, 1, 5, 5]
    assert lane_with(state, np.full(6, 2)).tolist() == [2, 2, 2, 2, -1, -1]
    assert lane_with(state, np.full(6, 4)).tolist() == [-1] * 6
