"""Slices of long work, and limits of its time."""

from __future__ import annotations

import pytest

from nirls.server.engine.base import timing
from nirls.server.engine.base.timing import OutOfTimeError, Steps, TimeLimit, at_once, in_slices
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
    monkeypatch.setattr(timing, "SLICE", slice_)
    async with counted_turns() as had:
        assert await in_slices(count()) == STEPS
        assert had() == turns


def test_work_can_be_done_at_once() -> None:
    assert at_once(count()) == STEPS


def test_no_seconds_is_no_limit() -> None:
    limit = TimeLimit()
    limit.check()
    assert limit.left is None


def test_a_limit_lasts_until_its_end() -> None:
    limit = TimeLimit(60)
    limit.check()
    assert limit.left is not None
    assert 0 < limit.left <= 60
    with pytest.raises(OutOfTimeError):
        TimeLimit(0).check()


@pytest.mark.parametrize("seconds", [None, 60])
def test_a_limit_can_be_given_up(seconds: float | None) -> None:
    limit = TimeLimit(seconds)
    limit.give_up()
    with pytest.raises(OutOfTimeError):
        limit.check()
