from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.shader import Dialect
from nirls.ir.validation import validate
from nirls.passes.registers.coalesce_plan import plan_vectors
from nirls.verification.random_shaders.registers import random_register_shader


@pytest.mark.parametrize("seed", range(6))
def test_valid_and_in_the_form_of_the_seed(seed: int) -> None:
    shader = random_register_shader(seed)
    assert shader.dialect is (Dialect.MODERN if seed % 2 else Dialect.OLD)
    assert not [problem for problem in validate(shader) if problem.severity is Severity.ERROR]


def test_operands_in_other_blocks_are_among_them() -> None:
    plans = [
        plan
        for seed in range(12)
        for impl in random_register_shader(seed).impls()
        for plan in plan_vectors(impl)
    ]
    assert any(plan.is_local for plan in plans)
    assert any(not plan.is_local for plan in plans)
