"""The random pipelines, and what the fuzzer says about one."""

from __future__ import annotations

import pytest

from nirls.ir.shader import Shader
from nirls.ir.validation import validate
from tools import fuzz_varyings
from tools.random_pipelines import random_pair


@pytest.mark.parametrize("number", range(8))
def test_random_pipelines_are_valid_and_made_of_the_number_only(number: int) -> None:
    first, second = random_pair(number), random_pair(number)
    assert [shader.source for shader in first] == [shader.source for shader in second]
    assert [problem for shader in first for problem in validate(shader) if problem.severity == "error"] == []


def test_wrong_result_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(shaders: list[Shader], options: object) -> list[Shader]:
        for impl in shaders[-1].impls():
            for instr in list(impl.instrs()):
                if getattr(instr, "name", "") == "store_output":
                    instr.remove()
        return shaders

    numbers = range(10)
    assert {fuzz_varyings.check(number)[0] for number in numbers} <= {"same", "unchecked"}
    monkeypatch.setattr(fuzz_varyings.opt_varyings, "run", broken)
    assert "different" in {fuzz_varyings.check(number)[0] for number in numbers}
