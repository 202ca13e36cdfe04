"""The random pipelines, and what the fuzzer says about one."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate
from nirls.passes import registry
from tools import fuzz_varyings
from tools.random_pipelines import KINDS, random_pipeline, random_texts


@pytest.mark.parametrize("number", range(16))
def test_random_pipelines_are_valid_and_made_of_the_number_only(number: int) -> None:
    first, second = random_pipeline(number), random_pipeline(number)
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


def test_a_pass_that_ends_early_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(shaders: list[Shader], options: object) -> list[Shader]:
        raise ValueError("no")

    monkeypatch.setattr(fuzz_varyings.opt_varyings, "run", ends)
    outcome, text = fuzz_varyings.check(0)
    assert outcome == "crash"
    assert "ValueError: no" in text


def test_all_kinds_of_pipelines_and_varyings_are_made() -> None:
    """Over some numbers, every feature that the generator speaks of is there."""
    texts = ["\n".join(random_texts(number)) for number in range(150)]
    made = {
        tuple(stage.stage.value for stage in random_pipeline(number) if stage.stage) for number in range(150)
    }
    assert made == set(KINDS)
    for word in (
        "high_16bits",
        "f2f16",
        "slots=4",
        "buffer=0",
        "COL1",
        "BFC0",
        "TEX1",
        "PATCH1",
        "mediump",
        "NOPERSPECTIVE",
        "barycentric_centroid",
        "barycentric_sample",
        "load_per_vertex_output",
        "load_per_primitive_input",
    ):
        assert any(word in text for text in texts), word


def test_options_are_told_that_there_are() -> None:
    declared = registry.find("opt_varyings")
    assert declared is not None
    known = {option.name for option in declared.options}
    told = [fuzz_varyings.options_of(number) for number in range(40)]
    assert set().union(*told) <= known
    assert any("preserve_nans" in one for one in told)
    assert told == [fuzz_varyings.options_of(number) for number in range(40)]
