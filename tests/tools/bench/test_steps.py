"""The steps on a pair of stages."""

from __future__ import annotations

from tools.bench.steps import step_times


def test_every_step_takes_time() -> None:
    times = step_times(60, 1)
    assert {"parse", "validate", "divergence", "edits of the result"} <= set(times)
    assert all(time > 0 for time in times.values())
