"""Random inputs find what most inputs show, and stop in time."""

from __future__ import annotations

from nirls.verification.options import VerificationOptions
from nirls.verification.strategies.random_inputs import more_random_inputs, random_inputs
from nirls.verification.verdict import Different, Unchecked
from tests.passes.shader_text import store
from tests.verification.strategies.shaders import INPUTS, comparison, vertex

SUM = vertex(*INPUTS, "32    %9 = fadd %1, %2", store("VAR0", "%9"))
DIFFERENCE = vertex(*INPUTS, "32    %9 = fsub %1, %2", store("VAR0", "%9"))


def test_another_operation_is_different() -> None:
    assert isinstance(random_inputs(comparison(SUM, DIFFERENCE)), Different)


def test_equal_shaders_leave_the_verdict_to_the_next_strategy() -> None:
    runs = comparison(SUM, SUM)
    assert random_inputs(runs) is None
    assert runs.runs == runs.options.runs
    # Everything was compared by then, so no more runs are made.
    assert more_random_inputs(runs) is None
    assert runs.runs == runs.options.runs


def test_the_time_budget_ends_the_first_runs_without_a_verdict() -> None:
    verdict = random_inputs(comparison(SUM, SUM, VerificationOptions(time_budget=0.0)))
    assert isinstance(verdict, Unchecked)
    assert verdict.is_late
    assert "0 of 2 runs" in verdict.reason
