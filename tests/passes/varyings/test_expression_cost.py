"""Costs of moved expressions, in the units of Mesa's default."""

from __future__ import annotations

import pytest

from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.propagate import NotUniform, uniform_expression
from nirls.passes.varyings.uniform_variables import UniformVariables
from tests.passes.shader_text import store
from tests.passes.varyings.pairs import fragment, interface_of, vertex

LOAD = 2  # of the vec4, behind a deref that costs nothing


@pytest.mark.parametrize(
    ("lines", "cost"),
    [
        (["32    %20 = load_const (0x40000000 = 2.000000)"], 0),
        (["32    %20 = mov %9.x"], LOAD),
        (["32    %20 = fadd %9.x, %9.y"], LOAD + 1),
        (["32    %20 = fsqrt %9.x"], LOAD + 4),
        (["32    %20 = idiv %9.x, %9.y"], LOAD + 40),
        (["32    %19 = fadd %9.x, %9.y", "32    %20 = fmul %19, %19"], LOAD + 2),
        (["32    %20 = fadd %9.x, %10"], None),
    ],
)
def test_cost(lines: list[str], cost: int | None) -> None:
    producer, consumer = vertex(*lines, store("VAR0", "%20")), fragment()
    (slot,) = interface_of(producer, consumer).in_order()
    assert slot.value is not None
    variables = UniformVariables(producer, consumer, LinkOptions())
    found = uniform_expression(slot.value, variables)
    assert (None if isinstance(found, NotUniform) else found) == cost
