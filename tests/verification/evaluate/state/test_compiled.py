"""The initial values of a compiled function."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.values.value import Override, Value
from tests.verification.evaluate.shader_text import shader_of

PROGRAM = Machine(
    shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000007)\n    32     %1 = ineg %0\n"
        "                // succs: b99"
    )
).program


def test_constants_are_there_and_all_else_is_undefined() -> None:
    constant, undefined = PROGRAM.fresh_values(4)
    assert constant.bits.tolist() == [[7] * 4]
    assert undefined.poison is not None
    assert undefined.poison.all()


def test_values_are_overridden_or_made_certain_when_they_are_assigned() -> None:
    constant, negated = PROGRAM.defs
    override = Override(0, np.array([True, False]), np.array([5, 5], np.uint32))
    values = PROGRAM.fresh_values(2, {negated: [override]}, (constant,))
    values[1] = Value(np.array([[1, 2]], np.uint32), 32)
    values[0] = Value(np.array([[1, 2]], np.uint32), 32, error=np.ones((1, 2)))
    assert values[1].bits.tolist() == [[5, 2]]
    assert values[0].error is None
