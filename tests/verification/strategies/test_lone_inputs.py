"""Special numbers one at a time: other special numbers do not hide their effect."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.verification.options import VerificationOptions
from nirls.verification.strategies.lone_inputs import lone_inputs, most_lone_lanes
from nirls.verification.strategies.random_inputs import random_inputs
from nirls.verification.verdict import Different
from tests.passes.shader_text import store
from tests.verification.strategies.shaders import INPUTS, comparison, input_compared_with, vertex


def test_constants_of_one_side_are_tried() -> None:
    def selected_by(constant: int) -> Shader:
        return vertex(
            *INPUTS,
            "32    %4 = load_const (0xffc12345)",
            f"32    %5 = load_const (0x{constant:08x})",
            "1     %6 = ieq %1, %4 (0xffc12345)",
            f"32    %9 = bcsel %6, %5 (0x{constant:x}), %2",
            store("VAR0", "%9"),
        )

    pair = comparison(selected_by(7), selected_by(9))
    assert isinstance(random_inputs(pair) or lone_inputs(pair), Different)


def test_no_run_is_made_if_the_number_of_runs_is_fixed() -> None:
    shader = input_compared_with(3, 1)
    pair = comparison(shader, shader, VerificationOptions(runs=2, most_runs=2))
    assert lone_inputs(pair) is None
    assert pair.runs == 0


def test_large_shaders_have_fewer_invocations() -> None:
    assert most_lone_lanes(1) > most_lone_lanes(1000) >= most_lone_lanes(100_000) > 0
