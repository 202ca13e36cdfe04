"""The log of accesses: since when which lanes accessed a place, in bounded memory."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.storage.access_log import AccessLog, moments

LANES = np.arange(3)


def found(log: AccessLog, places: list[int], start: list[int]) -> list[tuple[int, int]]:
    position, lanes = log.since(np.array(places), np.array(start))
    return sorted(zip(position.tolist(), lanes.tolist(), strict=True))


def test_accesses_since_a_moment() -> None:
    log = AccessLog()
    log.add(np.array([5, 5, 8]), moments(1, LANES))
    log.add(np.array([8, 5, 9]), moments(2, LANES))
    assert found(log, [5, 8], [0, 0]) == [(0, 0), (0, 1), (0, 1), (1, 0), (1, 2)]
    assert found(log, [5, 8], [int(moments(1, 1)), int(moments(2, 0))]) == [(0, 1), (0, 1), (1, 0)]
    assert found(log, [1, 9, 12], [0, 0, 0]) == [(1, 2)]
    log.clear()
    assert found(log, [5, 8, 9], [0, 0, 0]) == []


def test_whether_lanes_are_among_those_that_accessed_their_places() -> None:
    log = AccessLog()
    log.add(np.array([5, 5, 8]), moments(1, LANES))
    log.add(np.array([8]), moments(2, np.array([0])))
    places, lanes = np.array([8, 5, 5, 8, 7]), np.array([0, 0, 2, 2, 0])
    assert log.includes(places, lanes, np.zeros(5, np.int64)).tolist() == [True, True, False, True, False]
    start = np.array([moments(2, 0), 0, 0, moments(2, 0), 0])
    assert log.includes(places, lanes, start).tolist() == [True, True, False, False, False]


def test_only_the_last_access_of_a_lane_to_a_place_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nirls.verification.evaluate.storage.access_log._FEW", 10)
    log, places = AccessLog(), np.array([5, 5, 8])
    for time in range(1, 101):
        log.add(places, moments(time, LANES))
        assert len(log.since(np.array([5, 8]), np.zeros(2, np.int64))[0]) <= 12
    assert found(log, [5, 8], [int(moments(100, 0))] * 2) == [(0, 0), (0, 1), (1, 2)]
    assert found(log, [5, 8], [int(moments(101, 0))] * 2) == []
