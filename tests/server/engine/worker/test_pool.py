"""Jobs run at the same time in as many processes as a pool has."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.pool import WorkerPool
from nirls.server.engine.worker.process import WorkerProcess


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool([WorkerProcess(), WorkerProcess()])
    yield made
    made.stop()


def test_jobs_one_after_the_other_use_one_process(pool: WorkerPool) -> None:
    pool.start()
    assert pool.call(None, os.getpid) == pool.call(None, os.getpid) != os.getpid()


def test_jobs_at_the_same_time_use_two_processes_and_a_third_waits(pool: WorkerPool) -> None:
    stopped: list[Cause] = []

    def sleep() -> None:
        try:
            pool.call(None, time.sleep, 600)
        except JobFailedError as error:
            stopped.append(error.cause)

    sleeping = threading.Thread(target=sleep)
    sleeping.start()
    while not any(worker._one_at_a_time.locked() for worker in pool._workers):
        time.sleep(0.01)
    assert pool.call(None, os.getpid) == pool.call(None, os.getpid)
    pool.end_job()
    sleeping.join(60)
    assert stopped == [Cause.STOPPED]
    assert isinstance(pool.call(None, os.getpid), int)  # an ended process is replaced
