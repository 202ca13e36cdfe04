"""Random shaders through the passes: a few of them each time, thousands with `make fuzz`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.passes.cleanup.opt_algebraic import opt_algebraic
from nirls.passes.declaration import Pass
from tests.declared_pass import declare
from tools.fuzz_shaders import PASSES, check


def found(name: str) -> type[Pass]:
    declared = registry.find(name)
    assert declared is not None
    return declared


@pytest.mark.parametrize("name", PASSES)
def test_results_of_a_few_are_the_same_programs(name: str) -> None:
    for number in range(3):
        outcome, text = check(number, found(name))
        assert outcome in ("same", "unchanged", "unchecked"), f"shader {number}: {text}"


def test_a_pass_that_forgets_a_store_is_caught() -> None:
    def forget(shaders: Sequence[Shader]) -> list[Shader]:
        for shader in shaders:
            opt_algebraic(shader)
            for impl in shader.impls():
                stores = [instr for instr in impl.instrs() if getattr(instr, "name", "") == "store_output"]
                for store in stores:
                    store.remove()
        return list(shaders)

    broken = declare("broken", run=forget)
    outcomes = {check(number, broken)[0] for number in (1, 4, 7, 10, 13)}
    assert "different" in outcomes
