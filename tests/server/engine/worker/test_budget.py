"""A budget is what a worker has unless it is told otherwise."""

from __future__ import annotations

from dataclasses import replace

from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.process import WorkerProcess


def test_a_worker_has_the_usual_budget() -> None:
    assert WorkerProcess().budget == Budget()
    assert Budget().seconds > 0
    assert Budget().megabytes > 0


def test_a_job_may_have_other_time_and_as_much_memory() -> None:
    budget = Budget(seconds=3.0, megabytes=7)
    assert replace(budget, seconds=1.0) == Budget(seconds=1.0, megabytes=7)
    assert WorkerProcess(budget).budget is budget
