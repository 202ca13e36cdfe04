"""Entries of programs: jumps that no loop is around."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import shader_of


@pytest.mark.parametrize("jump", ["break", "continue"])
def test_jumps_out_of_no_loop_are_refused(jump: str) -> None:
    shader = shader_of(f"    block b0:   // preds:\n    {jump}\n                // succs: b99")
    with pytest.raises(Unsupported, match="loop"):
        Machine(shader).run(Environment(1), lanes=2)
