"""A job names its steps to whoever watches."""

from __future__ import annotations

import pytest

from nirls.server.engine.worker import steps


@pytest.fixture(autouse=True)
def _unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_begin", steps._nobody_asks)


def test_who_watches_hears_of_each_step_in_order() -> None:
    heard: list[str] = []
    steps.begin("before")
    steps.watch(heard.append)
    steps.begin("one")
    steps.begin("two")
    assert heard == ["one", "two"]


def test_the_last_who_watches_hears_alone() -> None:
    first: list[str] = []
    second: list[str] = []
    steps.watch(first.append)
    steps.watch(second.append)
    steps.begin("step")
    assert (first, second) == ([], ["step"])
