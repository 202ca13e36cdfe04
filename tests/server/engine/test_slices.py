"""Steps of work, at once or with turns of others in between."""

from __future__ import annotations

import asyncio

import pytest

from nirls.server.engine import slices
from nirls.server.engine.slices import Steps, at_once, in_slices

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
    had = 0

    async def other() -> None:
        nonlocal had
        while True:
            had += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    assert await in_slices(count()) == STEPS
    task.cancel()
    assert had == turns


def test_work_can_be_done_at_once() -> None:
    assert at_once(count()) == STEPS
