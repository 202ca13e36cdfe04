"""Proofs: equal expressions need no run, others are left to the runs."""

from __future__ import annotations

from nirls.verification.strategies.proof import PROVED, proved_each, proved_linked
from tests.passes.shader_text import store
from tests.verification.strategies.shaders import INPUTS, vertex

SUM = vertex(*INPUTS, "32    %9 = fadd %1, %2", store("VAR0", "%9"))
SUM_TURNED = vertex(*INPUTS, "32    %9 = fadd %2, %1", store("VAR0", "%9"))
PRODUCT = vertex(*INPUTS, "32    %9 = fmul %1, %2", store("VAR0", "%9"))


def test_a_commuted_sum_is_proved() -> None:
    assert proved_each([SUM], [SUM_TURNED]) is PROVED


def test_another_operation_is_not_proved() -> None:
    assert proved_each([SUM], [PRODUCT]) is None
    assert proved_linked([SUM], [PRODUCT]) is None
