"""Limits and instrumentation of a run."""

from __future__ import annotations

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from tests.verification.evaluate.shader_text import shader_of, store


def test_the_end_is_shown_with_the_values_of_the_entry_function() -> None:
    machine = Machine(
        shader_of(
            "    block b0:   // preds:\n    32     %0 = load_const (0x00000007)\n"
            f"{store('0', '0')}\n                // succs: b99"
        )
    )
    seen: list[int] = []
    options = RunOptions(at_end=lambda at: seen.append(int(at.frame.values[0].bits[0, 0])))
    machine.run(Environment(1), lanes=4, options=options)
    assert seen == [7]
