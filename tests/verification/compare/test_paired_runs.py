"""Runs of both sides: bit for bit first, with error bounds where that differs."""

from __future__ import annotations

from nirls.ir.analysis.assumptions import Assumptions
from nirls.verification.compare.paired_runs import PairedRuns
from nirls.verification.compare.subject import Subject
from nirls.verification.inputs.constants import Constants
from nirls.verification.inputs.input_kinds import environment_of_run
from tests.passes.shader_text import store
from tests.passes.varyings.pairs import vertex

LANES = 32


def paired(before: tuple[str, ...], after: tuple[str, ...]) -> PairedRuns:
    """Runs of two vertex shaders that compute %20 from the inputs %10 to %12."""
    sides = (Subject([vertex(*lines, store("VAR0", "%20"))]) for lines in (before, after))
    return PairedRuns(*sides, Assumptions(), 40)


def test_equal_results_need_no_error_bounds() -> None:
    runs = paired(("32    %20 = fadd %10, %11",), ("32    %20 = fadd %11, %10",))
    pair = runs.run(environment_of_run(0, 1, Constants(), {}), LANES)
    assert not pair.differences
    assert not pair.is_rounded
    assert runs.unchanged is None


def test_results_that_rounding_explains_are_no_difference() -> None:
    runs = paired(
        ("32    %20 = ffma %10, %11, %12",), ("32    %19 = fmul %10, %11", "32    %20 = fadd %19, %12")
    )
    pair = runs.run(environment_of_run(0, 1, Constants(), {}), LANES)
    assert not pair.differences
    assert pair.is_rounded
    assert pair.doubt is None


def test_other_results_are_a_difference() -> None:
    runs = paired(("32    %20 = fadd %10, %11",), ("32    %20 = fadd %10, %12",))
    pair = runs.run(environment_of_run(0, 1, Constants(), {}), LANES)
    assert pair.differences
    assert pair.is_rounded


def test_what_relies_on_saturation_is_unchecked() -> None:
    """The largest float is out of range: hardware gives the largest integer, NIR nothing."""
    largest = "32    %18 = load_const (0x7f7fffff)"
    converted = (largest, "32    %19 = f2u32! %18", "32    %20 = umin %19, %10")
    pair = paired(("32    %20 = mov %10",), converted).run(environment_of_run(0, 1, Constants(), {}), LANES)
    assert not pair.differences
    assert pair.doubt is not None
    assert "out of range" in pair.doubt
    wrong = (*converted[:2], "32    %20 = umax %19, %10")
    pair = paired(("32    %20 = mov %10",), wrong).run(environment_of_run(0, 1, Constants(), {}), LANES)
    assert pair.differences
    assert pair.differences[0].after == "0xffffffff = nan"
