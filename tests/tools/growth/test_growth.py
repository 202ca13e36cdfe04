"""The time of every command and request grows with the size of the input, not with its square."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tools.growth.growth import TimeGrowth, growths
from tools.growth.measure import MEASURES, Measure, places, request_times
from tools.growth.shapes import SHAPES, Shape, many_accesses

SIZE = 60


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_growth(shape: Shape, measure: Measure) -> None:
    assert not [str(one) for one in growths(shape, measure, SIZE) if one.is_too_fast]


def _taking(steps: Callable[[int], int]) -> Measure:
    """A measure whose action takes so many steps, of 10 ns each, for the size of the text."""
    return lambda text: {"busy": steps(len(text)) * 1e-8}


def _letters(size: int) -> str:
    return "x" * size


def test_a_quadratic_step_is_found() -> None:
    (found,) = growths(_letters, _taking(lambda size: 10 * size * size), 200)
    assert found.is_too_fast
    assert found.per_doubling == pytest.approx(4)


def test_a_linear_step_is_not() -> None:
    (found,) = growths(_letters, _taking(lambda size: 8000 * size), 200)
    assert not found.is_too_fast


def test_the_bytes_decide_where_they_grow_faster_than_the_lines() -> None:
    growth = TimeGrowth("nest", "shape", (1000, 4000, 16000), (0.1, 0.4, 1.6))
    assert growth.per_doubling == 2


def test_work_that_a_request_leaves_to_the_background_is_its_own() -> None:
    size = 400
    times = request_times(many_accesses(size), ("hover at 1", "nirls/packing"))
    assert times["nirls/packing"] < times["hover at 1"]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_the_places_in_all_sizes_of_a_shape_are_alike(shape: Shape) -> None:
    opcodes = set()
    for factor in (1, 2, 4):
        text = shape(SIZE * factor)
        at = places(text)[0]
        words = text.split("\n")[at["line"]][at["character"] - 1 :].split()
        opcodes.add(words[0] if len(places(text)) > 1 else "")
    assert len(opcodes) == 1
