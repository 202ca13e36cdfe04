"""What the runs of a comparison have shown."""

from __future__ import annotations

from nirls.verification.inputs.input_kinds import environment_of_run
from nirls.verification.verdict import Different
from tests.passes.shader_text import store
from tests.verification.strategies.shaders import INPUTS, comparison, vertex

SUM = vertex(*INPUTS, "32    %9 = fadd %1, %2", store("VAR0", "%9"))
PRODUCT = vertex(*INPUTS, "32    %9 = fmul %1, %2", store("VAR0", "%9"))


def test_runs_are_counted() -> None:
    pair = comparison(SUM, SUM)
    assert pair.blocks_not_run() == ("VS b0",)
    assert pair.run(environment_of_run(0, 1, pair.constants, pair.specials_met)) is None
    assert pair.runs == 1
    assert pair.lanes > 1000
    assert pair.blocks_not_run() == ()
    assert not pair.is_late
    assert not pair.is_starved


def test_a_difference_has_its_inputs() -> None:
    pair = comparison(SUM, PRODUCT)
    different = pair.run(environment_of_run(0, 1, pair.constants, pair.specials_met))
    assert isinstance(different, Different)
    assert different.counterexample.inputs
    assert pair.runs == 0
