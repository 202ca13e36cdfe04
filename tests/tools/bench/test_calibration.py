"""The unit that times of different machines are compared in."""

from __future__ import annotations

from tools.bench.calibration import unit, work


def test_the_unit_is_a_time_of_real_work() -> None:
    assert unit(1) > 0
    assert work() == work() > 1000
