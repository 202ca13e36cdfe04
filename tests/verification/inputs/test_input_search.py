"""Searches through made-up values; `test_steering` has those through runs of shaders."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from nirls.verification.inputs.input_search import InputSearch, Operand
from tests.passes.shader_text import ZERO, shader

LOAD = (
    "32 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)


def search(*lines: str) -> Any:
    """Search for what makes the last value 1, where all values are 1 and the environment answered nothing."""
    instrs = [instr for instr in shader("VERTEX", ZERO, LOAD, *lines).instrs() if instr.def_ is not None]
    stage: Any = SimpleNamespace(
        bits=lambda value, component, lane: 1,
        draw=[0],
        private_stores=lambda bits, lane: (),
        machine=SimpleNamespace(shader=SimpleNamespace(stage=None)),
    )
    environment: Any = SimpleNamespace(answers=[])
    last = instrs[-1].def_
    return InputSearch([stage], environment, stage, 0).pins(Operand(last, 0, 1), 1)


@pytest.mark.parametrize("line", ["1 %{} = ior %{}, %{}", "1 %{} = iand %{}, %{}", "1 %{} = mov %{}"])
def test_a_long_chain_is_given_up(line: str) -> None:
    chain = [line.format(number, number - 1, number - 1) for number in range(3, 500)]
    assert search("1 %2 = ieq %1, %0", *chain) is None
