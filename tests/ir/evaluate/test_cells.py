"""Storage of registers and variables."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.value import Value

LANES = np.arange(4)
ALL = np.ones(4, np.bool_)


def value(*rows: list[int]) -> Value:
    return Value(np.array(rows, np.uint32), 32)


def test_nothing_is_known_until_something_is_stored() -> None:
    cells = Cells(2, 1, 32, 4)
    cells.store(0, value([1, 2, 3, 4]), 1, LANES < 2, LANES)
    found = cells.load(0, LANES)
    assert found.poison is not None
    assert found.poison.tolist() == [[False, False, True, True]]
    assert found.bits[0, :2].tolist() == [1, 2]


def test_a_narrow_value_fills_the_mask_in_order_and_a_wide_one_by_component() -> None:
    cells = Cells(1, 3, 32, 4)
    cells.fill(0, [7, 8, 9])
    cells.store(0, value([1] * 4, [2] * 4), 0b101, ALL, LANES)
    assert cells.load(0, LANES).bits[:, 0].tolist() == [1, 8, 2]
    cells.store(0, value([4] * 4, [5] * 4, [6] * 4), 0b010, ALL, LANES)
    assert cells.load(0, LANES).bits[:, 0].tolist() == [1, 5, 2]


def test_outside_of_the_array_nothing_happens() -> None:
    cells = Cells(2, 1, 32, 4)
    cells.store(np.array([-1, 0, 1, 2]), value([1, 2, 3, 4]), 1, ALL, LANES)
    found = cells.load(np.array([-1, 0, 1, 2]), LANES)
    assert found.poison is not None
    assert found.poison.tolist() == [[True, False, False, True]]
    assert cells.load(5, LANES).poison is not None


def test_lanes_that_share_a_place_see_the_last_store() -> None:
    cells = Cells(1, 1, 32, 2)
    group = LANES // 2
    cells.store(0, value([1, 2, 3, 4]), 1, ALL, group)
    assert cells.load(0, group).bits.tolist() == [[2, 2, 4, 4]]
