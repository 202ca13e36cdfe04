"""The state: merging, ifs, and the frames of functions."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.frames import CallFrame
from nirls.verification.evaluate.state.lane_masks import UNDECIDED
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.storage.memory import Memory
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.values.value import Value, undefined_value
from tests.verification.evaluate.shader_text import shader_of


def state(*values: Value) -> State:
    """The state of a run of four lanes, in a function with these values."""
    environment = Environment(1)
    launch = launch_for(shader_of("    block b0:"), 4)
    running = State(
        environment,
        launch,
        EnvironmentInputs(environment),
        Memory(environment),
        OutputStore(launch),
        RunOptions(),
    )
    running.push_call(frame(*values))
    return running


def frame(*values: Value) -> CallFrame:
    program = Machine(shader_of("    block b0:")).program
    return CallFrame(program, list(values), np.zeros(4, np.bool_), {}, [])


def number(value: int) -> Value:
    return Value(np.full((1, 4), value, np.uint32), 32)


def test_only_running_lanes_get_a_value() -> None:
    running = state(number(1))
    running.masks.set_active(np.array([True, False, True, False]))
    running.merge(0, number(2))
    assert running.frame.values[0].bits.tolist() == [[2, 1, 2, 1]]


def test_an_if_with_an_undefined_condition_runs_both_branches_if_they_rejoin() -> None:
    running = state()
    running.enter_branches(undefined_value(1, 1, 4), rejoins=True)
    assert running.masks.active.all()
    assert running.masks.undecided is not None
    assert running.frame.branches[-1].waiting.all()
    running.leave_branches()
    assert running.masks.undecided is None
    assert running.masks.rejoined.all()
    assert (running.masks.came_from == UNDECIDED).all()
    running.enter_branches(undefined_value(1, 1, 4), rejoins=False)
    assert running.masks.poisoned.all()


def test_a_call_has_values_of_its_own_and_those_who_returned_go_on() -> None:
    running = state(number(1))
    outer, inner = running.frame, frame(number(2))
    running.push_call(inner)
    assert running.frame is inner
    inner.returned = running.masks.active
    running.masks.set_active(np.zeros(4, np.bool_))
    assert running.pop_call() is inner
    assert running.frame is outer
    assert running.masks.active.all()


def test_blanks_are_shared_by_shape() -> None:
    running = state()
    assert running.blank(2, 16) is running.blank(2, 16)
    assert running.blank(2, 64).dtype == np.uint64
