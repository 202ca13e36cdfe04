"""A leak of any rate is told from a cache that fills."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tools.fuzz.memory import LONGEST, Growth, measured

STEPS = 200


def growth(megabytes: Callable[[int], float]) -> Growth:
    """The growth of a server that needs so much after a number of steps, and of a worker that starts late."""
    now = 0

    def steps() -> Iterator[None]:
        nonlocal now
        for now in count():  # noqa: B007
            yield

    return measured("one", steps(), STEPS, lambda: [megabytes(now), *([20.0] if now > 20 else [])])


def test_what_stays_the_same_is_flat() -> None:
    found = growth(lambda step: 100.0 + step % 3)
    assert found.is_flat
    assert found.steps == STEPS
    assert "flat" in str(found)


@pytest.mark.parametrize("full_at", [0.5, 1, 2])
def test_a_session_goes_on_until_its_caches_are_full(full_at: float) -> None:
    found = growth(lambda step: 100 + 50 * min(1.0, step / (full_at * STEPS)))
    assert found.is_flat
    assert STEPS < found.steps <= LONGEST * STEPS


@pytest.mark.parametrize("rate", [0.1, 1, 10])
def test_a_leak_never_ends(rate: float) -> None:
    found = growth(lambda step: 100 + rate * step)
    assert not found.is_flat
    assert found.steps == LONGEST * STEPS
    assert "IT GROWS" in str(found)
