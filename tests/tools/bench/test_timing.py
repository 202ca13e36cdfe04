"""Times of work, and the unit that times of different machines are compared in."""

from __future__ import annotations

from tools.bench.timing import milliseconds, unit, work


def test_the_unit_is_a_time_of_real_work() -> None:
    assert unit(1) > 0
    assert work() == work() > 1000


def test_work_is_done_as_often_as_it_is_timed() -> None:
    done: list[int] = []
    assert milliseconds(lambda: done.append(1), 7) >= 0
    assert len(done) == 7
