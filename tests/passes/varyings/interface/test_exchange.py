"""When it pays to compute outputs in the next stage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.exchange import Exchange, is_clear_win

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
