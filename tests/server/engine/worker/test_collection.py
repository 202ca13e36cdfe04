"""Garbage is collected between jobs when the process has grown."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from nirls.server.engine.worker.collection import Collector


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def usual_collections() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.parametrize(("growth", "is_alive"), [(1 << 20, True), (9 << 20, False)])
def test_cycles_are_collected_after_a_job_that_grew_the_process(growth: int, is_alive: bool) -> None:
    memory = [0]
    collector = Collector(lambda: memory[0])
    cycle = weakref.ref(Cycle())
    memory[0] = growth
    collector.after_job()
    assert (cycle() is not None) == is_alive
