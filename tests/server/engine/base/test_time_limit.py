"""Time limits: by the clock, and given up by hand."""

from __future__ import annotations

import pytest

from nirls.server.engine.base.time_limit import OutOfTimeError, TimeLimit


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
