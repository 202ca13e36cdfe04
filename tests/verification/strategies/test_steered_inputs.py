"""Steered inputs give comparisons the outcomes that random inputs do not."""

from __future__ import annotations

from nirls.verification.options import VerificationOptions
from nirls.verification.strategies.random_inputs import random_inputs
from nirls.verification.strategies.steered_inputs import (
    before_of_after,
    overridden_values,
    steered_inputs,
)
from nirls.verification.verdict import Different
from tests.passes.shader_text import store
from tests.verification.strategies.shaders import INPUTS, comparison, input_compared_with, vertex


def test_an_equality_that_random_inputs_do_not_meet_is_found() -> None:
    pair = comparison(input_compared_with(0x12345678, 3), input_compared_with(0x12345678, 7))
    assert random_inputs(pair) is None
    assert isinstance(steered_inputs(pair), Different)


def test_a_shader_without_comparisons_needs_no_run() -> None:
    shader = vertex(*INPUTS, "32    %9 = fadd %1, %2", store("VAR0", "%9"))
    pair = comparison(shader, shader)
    assert steered_inputs(pair) is None
    overridden_values(pair)
    assert (pair.runs, pair.overridden) == (0, 0)


def test_no_run_is_made_if_the_number_of_runs_is_fixed() -> None:
    pair = comparison(
        input_compared_with(3, 1), input_compared_with(3, 7), VerificationOptions(runs=2, most_runs=2)
    )
    assert steered_inputs(pair) is None
    assert pair.runs == 0


def test_a_difference_behind_an_overridden_value_is_a_doubt() -> None:
    def behind_a_hash(value: str) -> list[str]:
        return [
            *INPUTS,
            "32    %4 = imul %1, %1",
            "32    %5 = ixor %4, %2",
            "32    %6 = imul %5, %5",
            "32    %7 = load_const (0x2468acf3)",
            "1     %8 = ieq %6, %7 (0x2468acf3)",
            f"32    %10 = bcsel %8, {value}, %2",
            store("VAR0", "%10"),
        ]

    pair = comparison(vertex(*behind_a_hash("%1")), vertex(*behind_a_hash("%3")))
    assert random_inputs(pair) is None
    assert steered_inputs(pair) is None
    overridden_values(pair)
    assert pair.overridden
    assert pair.doubt is not None
    assert "overridden" in pair.doubt


def test_values_correspond_across_the_pass() -> None:
    before, after = input_compared_with(3, 1), input_compared_with(3, 7)
    values = before_of_after(comparison(before, after).before, comparison(before, after).after)
    assert {after_value.index for after_value in values} >= {1}
