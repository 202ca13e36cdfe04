"""The subgroups that the lanes of a run form."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.surroundings.launch import WORKGROUP_STAGES
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value


def subgroup_size(state: State) -> int:
    """Return the number of invocations in a subgroup."""
    return max(1, state.environment.subgroup_size)


def subgroup_of_lane(state: State) -> Array:
    """Return each lane's subgroup number; workgroups do not share subgroups."""
    size = subgroup_size(state)
    if _has_workgroups(state):
        per_group = -(-state.launch.group_size // size)
        return state.launch.group * per_group + state.launch.invocation // size
    if state.launch.draw is None:
        return state.lane_numbers // size
    return (
        state.launch.draw * (state.lanes // size + 1) + state.launch.within_draw(state.lane_numbers) // size
    )


def subgroup_invocation(state: State) -> Array:
    """Return each lane's number in its subgroup."""
    size = subgroup_size(state)
    if _has_workgroups(state):
        return state.launch.invocation % size
    return state.launch.within_draw(state.lane_numbers) % size


def lane_with(state: State, invocation: Array) -> Array:
    """Return the lane of an invocation number in the same subgroup; -1 if there is none."""
    own, group = subgroup_invocation(state), subgroup_of_lane(state)
    lane = state.lane_numbers + (invocation - own)
    inside = (invocation >= 0) & (lane >= 0) & (lane < state.lanes)
    safe = np.where(inside, lane, 0)
    return np.where(inside & (group[safe] == group), lane, -1)


def lanes_that_differ(state: State, value: Value) -> Array | None:
    """Return the lanes of subgroups in which a value is not the same on all running lanes; None if it is."""
    running = np.nonzero(state.masks.active)[0]
    bits = value.bits[:, running]
    if not len(running) or (bits == bits[:, :1]).all():
        return None
    _, first, member = np.unique(subgroup_of_lane(state)[running], return_index=True, return_inverse=True)
    differs = (bits != bits[:, first[member]]).any(axis=0)
    if not differs.any():
        return None
    lanes = np.zeros(state.lanes, np.bool_)
    lanes[running] = (np.bincount(member[differs], minlength=len(first)) > 0)[member]
    return lanes


def _has_workgroups(state: State) -> bool:
    return state.launch.stage in WORKGROUP_STAGES
