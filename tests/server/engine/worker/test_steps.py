"""Steps of a job are reported to the observer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nirls.server.engine.worker import steps


@pytest.fixture(autouse=True)
def _no_observer() -> Iterator[None]:
    steps.watch(None)
    yield
    steps.watch(None)


def test_steps_are_reported_in_order() -> None:
    seen: list[str] = []
    steps.begin("before")
    steps.watch(seen.append)
    steps.begin("one")
    steps.begin("two")
    assert seen == ["one", "two"]


def test_a_new_observer_replaces_the_last() -> None:
    first: list[str] = []
    second: list[str] = []
    steps.watch(first.append)
    steps.watch(second.append)
    steps.begin("step")
    assert (first, second) == ([], ["step"])
