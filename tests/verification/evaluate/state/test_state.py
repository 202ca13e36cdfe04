"""The state: masks, merging, what a condition decides."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.state import CallFrame, RunOptions, State
from nirls.verification.evaluate.storage.memory import Memory
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.values.value import Value, undefined_value
from tests.verification.evaluate.shader_text import shader_of, store


def state() -> State:
    environment = Environment(1)
    launch = launch_for(shader_of("    block b0:"), 4)
    return State(
        environment,
        launch,
        EnvironmentInputs(environment),
        Memory(environment),
        OutputStore(launch),
        RunOptions(),
    )


def number(value: int) -> Value:
    return Value(np.full((1, 4), value, np.uint32), 32)


def test_only_running_lanes_get_a_value() -> None:
    running = state()
    running.values = [number(1)]
    running.set_active(np.array([True, False, True, False]))
    running.merge(0, number(2))
    assert running.values[0].bits.tolist() == [[2, 1, 2, 1]]


def test_demoted_lanes_run_without_effect() -> None:
    running = state()
    running.demoted = np.array([True, False, False, False])
    assert running.active.all()
    assert running.effective().tolist() == [False, True, True, True]


def test_deciding_by_nonsense_is_noted_for_running_lanes() -> None:
    running = state()
    running.set_active(np.array([True, True, False, False]))
    running.decide(undefined_value(1, 1, 4))
    assert running.poisoned.tolist() == [True, True, False, False]
    assert running.decide(number(1)).all()


def test_a_call_has_values_of_its_own_and_those_who_returned_go_on() -> None:
    running = state()
    program = Machine(shader_of("    block b0:")).program
    outer = CallFrame(program, [number(1)], np.zeros(4, np.bool_), {}, [])
    inner = CallFrame(program, [number(2)], np.zeros(4, np.bool_), {}, [])
    running.push_call(outer)
    running.push_call(inner)
    assert running.values is inner.values
    inner.returned = running.active
    running.set_active(np.zeros(4, np.bool_))
    running.pop_call()
    assert running.values is outer.values
    assert running.active.all()


def test_the_end_is_shown_with_the_values_of_the_entry_function() -> None:
    machine = Machine(
        shader_of(
            "    block b0:   // preds:\n    32     %0 = load_const (0x00000007)\n"
            f"{store('0', '0')}\n                // succs: b99"
        )
    )
    seen: list[int] = []
    options = RunOptions(at_end=lambda at: seen.append(int(at.values[0].bits[0, 0])))
    machine.run(Environment(1), lanes=4, options=options)
    assert seen == [7]
