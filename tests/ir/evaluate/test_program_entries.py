"""Entries of programs: jumps that no loop is around."""

from __future__ import annotations

import pytest

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.machine import Machine
from tests.ir.evaluate.shader_text import shader_of


@pytest.mark.parametrize("jump", ["break", "continue"])
def test_jumps_out_of_no_loop_are_refused(jump: str) -> None:
    shader = shader_of(f"    block b0:   // preds:\n    {jump}\n                // succs: b99")
    with pytest.raises(Unsupported, match="loop"):
        Machine(shader).run(Environment(1), lanes=2)
