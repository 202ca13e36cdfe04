"""The steps on a pair of stages."""

from __future__ import annotations

from tools.bench.steps import milliseconds, step_times


def test_every_step_takes_time() -> None:
    times = step_times(60, 1)
    assert {"parse", "validate", "divergence", "edits of the result"} <= set(times)
    assert all(time > 0 for time in times.values())


def test_work_is_done_as_often_as_it_is_timed() -> None:
    done: list[int] = []
    assert milliseconds(lambda: done.append(1), 7) >= 0
    assert len(done) == 7
