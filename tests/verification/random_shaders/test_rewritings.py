"""Other forms of a program are valid, differ from it, and compute the same."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.verification.options import VerificationOptions
from nirls.verification.random_shaders.pipelines import random_pipeline
from nirls.verification.random_shaders.rewritings import add_dead_code, reorder, repeat_code
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("rewrite", [add_dead_code, repeat_code, reorder])
def test_is_another_form_of_the_same_program(rewrite: Callable[[Shader, random.Random], None]) -> None:
    others = 0
    for number in range(8):
        before = random_pipeline(number)
        after = [clone_shader(shader) for shader in before]
        for shader in after:
            rewrite(shader, random.Random(number))
            assert [problem for problem in validate(shader) if problem.severity == "error"] == []
        others += [fresh(shader) for shader in after] != [fresh(shader) for shader in before]
        assert not isinstance(
            verify_shaders(before, after, VerificationOptions(runs=2, most_runs=2)), Different
        )
    assert others == 8


def count(shader: Shader) -> int:
    return sum(1 for impl in shader.impls() for _ in impl.instrs())


def test_clean_up_finds_what_was_added() -> None:
    for number in range(8):
        for shader in random_pipeline(number):
            opt_dce(shader)
            opt_cse(shader)
            opt_dce(shader)
            before = count(shader)
            add_dead_code(shader, random.Random(number))
            assert count(shader) > before
            assert opt_dce(shader)
            assert count(shader) == before
