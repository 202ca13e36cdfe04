"""Steps of work, at once or with turns of others in between."""

from __future__ import annotations

import pytest

from nirls.server.engine.base import slices
from nirls.server.engine.base.slices import Steps, at_once, in_slices
from tests.server.turns import counted_turns

STEPS = 5


def count() -> Steps[int]:
    for _ in range(STEPS):
        yield
    return STEPS


@pytest.mark.parametrize(("slice_", "turns"), [(-1.0, STEPS), (1000.0, 0)])
async def test_others_have_their_turn_after_each_slice(
    monkeypatch: pytest.MonkeyPatch, slice_: float, turns: int
) -> None:
    monkeypatch.setattr(slices, "SLICE", slice_)
    async with counted_turns() as had:
        assert await in_slices(count()) == STEPS
        assert had() == turns


def test_work_can_be_done_at_once() -> None:
    assert at_once(count()) == STEPS
