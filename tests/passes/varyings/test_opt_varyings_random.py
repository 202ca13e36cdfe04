"""Random pipelines compute the same after opt_varyings, and the results are valid NIR."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.model.clone import clone_shader
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.options import VerificationOptions
from nirls.verification.random_shaders.pipelines import random_pipeline
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders

RUNS = VerificationOptions(runs=2, most_runs=2)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 1_000_000), st.booleans())
def test_result_is_the_same_program(number: int, clean_up: bool) -> None:
    before = random_pipeline(number)
    after = [clone_shader(shader) for shader in before]
    OptVaryings.with_options({"clean_up": clean_up}).run(after)
    for shader in after:
        assert [problem for problem in validate(shader) if problem.severity == "error"] == []
    verdict = verify_shaders(before, after, RUNS)
    assert not isinstance(verdict, Different), str(verdict)


def test_random_pipelines_have_something_to_optimize() -> None:
    """Each step finds something, so that the test above says something about it."""
    found = Counter(
        finding.code for number in range(100) for finding in OptVaryings().find(random_pipeline(number))
    )
    assert set(found) == {
        "propagatable-output",
        "duplicate-output",
        "convergent-output",
        "movable-expression",
        "derivable-output",
        "packing",
    }
