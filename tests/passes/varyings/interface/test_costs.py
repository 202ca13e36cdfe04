"""Costs of moved expressions, in the units of Mesa's default, and whether moving them pays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.tables import opcode
from nirls.ir.tables.families import VECTORS
from nirls.passes.varyings.interface.costs import Exchange, is_clear_win
from nirls.passes.varyings.interface.driver_profiles import PROFILE_TABLE
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.propagate import NotUniform, uniform_expression
from tests.passes.shader_text import store
from tests.passes.varyings.pairs import fragment, interface_of, vertex

LOAD = 2  # of the vec4, behind a deref that costs nothing

TO_DOUBLE, OF_DOUBLE = "64    %18 = f2f64 %9.x", "32    %20 = f2f32 %19"
TO_LONG, OF_LONG = "64    %18 = i2i64 %9.x", "32    %20 = i2i32 %19"
TO_SHORT, OF_SHORT = "16    %18 = i2i16 %9.x", "32    %20 = i2i32 %19"


@pytest.mark.parametrize(
    ("lines", "cost"),
    [
        (["32    %20 = load_const (0x40000000 = 2.000000)"], 0),
        (["32    %20 = mov %9.x"], LOAD),
        (["32    %20 = fadd %9.x, %9.y"], LOAD + 1),
        (["32    %20 = fsqrt %9.x"], LOAD + 4),
        (["32    %20 = idiv %9.x, %9.y"], LOAD + 40),
        (["32    %20 = fpow %9.x, %9.y"], LOAD + 9),
        (["32    %20 = fdiv %9.x, %9.y"], LOAD + 5),
        (["32    %20 = fmod %9.x, %9.y"], LOAD + 8),
        (["32    %20 = imul %9.x, %9.y"], LOAD + 4),
        (["32    %20 = imul_high %9.x, %9.y"], LOAD + 4),
        (["32    %20 = fabs %9.x"], LOAD),
        # Conversions to and from 64-bit floats cost 16 each, of 64-bit integers 2.
        ([TO_DOUBLE, "64    %19 = fadd %18, %18", OF_DOUBLE], LOAD + 32 + 16),
        ([TO_DOUBLE, "64    %19 = fsqrt %18", OF_DOUBLE], LOAD + 32 + 32),
        ([TO_DOUBLE, "64    %19 = fdiv %18, %18", OF_DOUBLE], LOAD + 32 + 80),
        ([TO_DOUBLE, "64    %19 = fmod %18, %18", OF_DOUBLE], LOAD + 32 + 80),
        ([TO_LONG, "64    %19 = idiv %18, %18", OF_LONG], LOAD + 4 + 80),
        ([TO_LONG, "64    %19 = imul %18, %18", OF_LONG], LOAD + 4 + 8),
        ([TO_LONG, "64    %19 = iadd %18, %18", OF_LONG], LOAD + 4 + 2),
        # Of 16-bit integers 1.
        ([TO_SHORT, "16    %19 = imul %18, %18", OF_SHORT], LOAD + 2 + 1),
        ([TO_SHORT, "16    %19 = iadd %18, %18", OF_SHORT], LOAD + 2 + 1),
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


ONE_LOAD = Exchange(Stage.VERTEX, Stage.FRAGMENT, True, 2, 1, 3)


@pytest.mark.parametrize(("interpolated", "most"), [(True, 3), (False, 2)])
def test_what_is_computed_costs_no_more_than_the_loads_that_are_saved(interpolated: bool, most: int) -> None:
    for loads in (1, 2, 5):
        exchange = replace(ONE_LOAD, interpolated=interpolated, loads_saved=loads, cost=most * loads)
        assert is_clear_win(exchange)
        assert not is_clear_win(replace(exchange, cost=exchange.cost + 1))


def test_free_computations_still_need_fewer_loads_and_varyings() -> None:
    assert not is_clear_win(replace(ONE_LOAD, loads_saved=0, cost=0))
    assert not is_clear_win(replace(ONE_LOAD, halves_saved=0, cost=0))


def test_the_table_names_opcodes_and_every_vector_is_free() -> None:
    rows = PROFILE_TABLE["costs"]["opcodes"]
    names = [name for row in rows for name in row["names"]]
    assert len(names) == len(set(names))
    assert [name for name in names if opcode(name) is None] == []
    (free,) = (row["names"] for row in rows if not any(row["costs"]))
    assert set(free) > VECTORS
