"""Outputs that share bits."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.ir.validation.validate import validate
from tests.passes.shader_text import ZERO, shader


def _store(bits: int, component: int, flags: str = "") -> str:
    value = {16: "%1", 32: "%0", 64: "%2"}[bits]
    return (
        f"@store_output ({value}, %0) (base=0, range=1, wrmask=x, component={component}, src_type=uint{bits},"
        f" io location=VARYING_SLOT_VAR0 slots=1{flags}, xfb(), xfb2())"
    )


HIGH = " high_16bits"


@pytest.mark.parametrize(
    ("stores", "found"),
    [
        ((_store(32, 0), _store(16, 0, HIGH)), True),
        ((_store(16, 0, HIGH), _store(32, 0)), True),
        ((_store(32, 0), _store(16, 0)), True),
        ((_store(64, 0), _store(16, 1, HIGH)), True),
        ((_store(16, 0), _store(16, 0, HIGH)), False),
        ((_store(32, 0), _store(16, 1, HIGH)), False),
        ((_store(64, 0), _store(16, 2)), False),
        ((_store(32, 0), _store(32, 0)), False),
    ],
)
def test_a_narrow_store_in_a_wide_one_is_a_warning(stores: tuple[str, ...], found: bool) -> None:
    given = shader("VERTEX", ZERO, "16 %1 = load_const (0x0001)", "64 %2 = load_const (0x1)", *stores)
    problems = [problem for problem in validate(given) if problem.code == "overlapping-outputs"]
    assert len(problems) == found
    assert all(problem.severity is Severity.WARNING and problem.related for problem in problems)
