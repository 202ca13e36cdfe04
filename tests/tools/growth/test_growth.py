"""The time of every command and request grows with the size of the input, not with its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tools.growth.growth import Growth, growths
from tools.growth.measure import MEASURES, Measure, Times
from tools.growth.shapes import SHAPES, Shape

SIZE = 60


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_growth(shape: Shape, measure: Measure) -> None:
    assert not [str(one) for one in growths(shape, measure, SIZE) if one.is_too_fast]


def _busy(steps: Callable[[int], int]) -> Measure:
    def measure(text: str) -> Times:
        started = time.process_time()
        sum(range(steps(len(text))))
        return {"busy": time.process_time() - started}

    return measure


def _letters(size: int) -> str:
    return "x" * size


def test_a_quadratic_step_is_found() -> None:
    (found,) = growths(_letters, _busy(lambda size: 10 * size * size), 200)
    assert found.is_too_fast
    assert found.per_doubling == pytest.approx(4, rel=0.3)


def test_a_linear_step_is_not() -> None:
    (found,) = growths(_letters, _busy(lambda size: 8000 * size), 200)
    assert not found.is_too_fast


def test_the_bytes_decide_where_they_grow_faster_than_the_lines() -> None:
    growth = Growth("nest", "shape", (1000, 4000, 16000), (0.1, 0.4, 1.6))
    assert growth.per_doubling == 2
