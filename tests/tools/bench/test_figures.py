"""What is said of figures: growth, target, and the change since they were last kept."""

from __future__ import annotations

import json

import pytest

from tools.bench.figures import Group, Row, change, exponent, group_of, plain, table

GROUP = Group("logs", "title", (1, 10), (Row("what, ms", (2.0, 5.0), "10"),))


def test_a_group_has_a_row_for_each_thing_measured() -> None:
    measured = [{"a, ms": 1.0, "b, ms": 2.0}, {"a, ms": 3.0, "b, ms": 4.0}]
    group = group_of("name", "title", [10, 100], measured, {"b, ms": "5"})
    assert group.sizes == (10, 100)
    assert group.rows == (Row("a, ms", (1.0, 3.0)), Row("b, ms", (2.0, 4.0), "5"))


@pytest.mark.parametrize(
    ("figures", "sizes", "power"),
    [([1.0, 100.0], [1, 100], 1.0), ([2.0, 9.0, 200.0], [10, 50, 100], 2.0), ([3.0, 3.0], [1, 10], 0.0)],
)
def test_growth_is_that_from_the_first_size_to_the_last(
    figures: list[float], sizes: list[int], power: float
) -> None:
    assert exponent(figures, sizes) == pytest.approx(power)


@pytest.mark.parametrize(("figures", "sizes"), [([1.0], [1]), ([0.0, 1.0], [1, 2]), ([1.0, 0.0], [1, 2])])
def test_nothing_is_said_of_growth_without_two_figures(figures: list[float], sizes: list[int]) -> None:
    assert exponent(figures, sizes) == 0


def test_table_has_growth_target_and_change() -> None:
    last = plain([GROUP], unit=2.0)
    result = table(GROUP, 1.0, last)
    cells = [list(column.cells) for column in result.columns]
    assert cells == [["what, ms"], ["2.0"], ["5.0"], ["2.5x, n^0.40"], ["10"], ["+100%"]]


def test_change_is_counted_in_units_of_the_machine() -> None:
    last = json.loads(json.dumps(plain([GROUP], unit=2.0)))
    assert change(GROUP, GROUP.rows[0], 2.0, last) == 0
    assert change(GROUP, GROUP.rows[0], 4.0, last) == -0.5
    memory = Group("logs", "", (1, 10), (Row("memory, MB", (2.0, 5.0)),))
    assert change(memory, memory.rows[0], 4.0, plain([memory], unit=2.0)) == 0
    assert change(memory, Row("another, MB", (1.0, 1.0)), 1.0, last) is None
    assert change(GROUP, GROUP.rows[0], 1.0, {}) is None
