"""Exits of loops and their iterations."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Loop
from nirls.ir.model.float_controls import USUAL
from nirls.passes.loops.trip_count import LoopShape, Trips, break_of, shape_of, trips_of
from tests.passes.expectation import parse_body

LOOP = """
block b0:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000001)
32 %2 = load_const (0x00000004)
32 %3 = @load_sample_id
loop {{
block b1:
32 %5 = phi b0: {start}, b4: %6
1 %4 = {condition}
if %4 {{
block b2:
{then}
}} else {{
block b3:
{otherwise}
}}
block b4:
32 %6 = {step}
}}
block b5:
block b6:
"""


def loop_of(
    condition: str, *, start: str = "%0", step: str = "iadd %5, %1", breaks_in_then: bool = True
) -> LoopShape:
    then, otherwise = ("break", "") if breaks_in_then else ("", "break")
    text = LOOP.format(condition=condition, start=start, step=step, then=then, otherwise=otherwise)
    (impl,) = parse_body(text).impls()
    loop = next(node for node in impl.body if isinstance(node, Loop))
    shape = shape_of(loop)
    assert isinstance(shape, LoopShape)
    return shape


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (loop_of("ige %5, %2"), 4),
        (loop_of("ilt %2, %5"), 5),
        (loop_of("ilt %5, %2", breaks_in_then=False), 4),
        (loop_of("ige %5, %2", start="%2"), 0),
        (loop_of("ieq %5, %2", step="ishl %5, %1", start="%1"), 2),
        (loop_of("ine %5, %0", start="%2", step="ushr %5, %1", breaks_in_then=False), 3),
        (loop_of("ieq %5, %0", start="%2", step="isub %5, %1"), 4),
    ],
)
def test_iterations_of_induction_variables(shape: LoopShape, expected: int) -> None:
    trips = trips_of(shape, USUAL, 32)
    assert isinstance(trips, Trips)
    assert (trips.count, trips.unknown) == (expected, 0)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (loop_of("ige %5, %3"), "its trip count is unknown"),
        (loop_of("ige %5, %2", start="%3"), "its trip count is unknown"),
        (loop_of("ige %5, %2", step="iadd %5, %0"), "it has more than 32 iterations"),
    ],
)
def test_unknown_iterations(shape: LoopShape, reason: str) -> None:
    assert trips_of(shape, USUAL, 32) == reason


def test_exits_and_the_latch() -> None:
    shape = loop_of("ige %5, %2")
    (node,) = shape.exits
    assert break_of(node.then_body) is not None
    assert break_of(node.else_body) is None
    assert shape.latch is shape.loop.body[-1]
