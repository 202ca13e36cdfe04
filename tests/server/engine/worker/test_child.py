"""The program of a worker process, spoken to over its pipes as its parent does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.server.engine.worker.crash_log import CrashLog
from nirls.server.engine.worker.job import OUT_OF_MEMORY, Budget, Cause, Done, Failed, Job, receive, send
from tests.server.engine.worker import jobs

ROOT = Path(__file__).parents[4]


class Child:
    """A worker process and its black box."""

    def __init__(self) -> None:
        self.box = CrashLog()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "nirls.server.engine.worker.child", self.box.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=self.box.inherited,
        )

    def hang_up(self) -> None:
        """Send no more jobs."""
        if self.process.stdin is not None:
            self.process.stdin.close()
            self.process.stdin = None

    def ask(self, *jobs_: Job) -> list[Done | Failed | None]:
        """What is answered to jobs that are sent at once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for job in jobs_:
            send(self.process.stdin, job)
        return [receive(self.process.stdout) for _ in jobs_]


@pytest.fixture
def child() -> Iterator[Child]:
    made = Child()
    yield made
    made.process.kill()
    made.hang_up()
    made.process.communicate()
    made.box.close()


def job(function: object, *arguments: object, seconds: float = 60.0, megabytes: int = 400) -> Job:
    return Job(function, arguments, {}, Budget(seconds, megabytes))  # type: ignore[arg-type]


def test_jobs_are_done_one_after_the_other(child: Child) -> None:
    assert child.ask(job(jobs.double, 1), job(jobs.double, 2), job(jobs.double, 3)) == [
        Done(2),
        Done(4),
        Done(6),
    ]


def test_it_ends_when_its_parent_hangs_up_even_in_a_job(child: Child) -> None:
    assert child.ask(job(jobs.double, 1)) == [Done(2)]
    assert child.process.stdin is not None
    send(child.process.stdin, job(jobs.loop))
    child.hang_up()
    assert child.process.wait(timeout=120) == 0


def test_an_exception_is_an_answer(child: Child) -> None:
    failed, done = child.ask(job(jobs.raise_it), job(jobs.double, 1))
    assert isinstance(failed, Failed)
    assert (failed.cause, failed.step, failed.is_last) == (Cause.RAISED, "raising", False)
    assert "raise_it" in failed.trace
    assert done == Done(2)


def test_what_a_job_prints_goes_to_the_log_and_it_reads_nothing(child: Child) -> None:
    assert child.ask(job(jobs.print_and_read)) == [Done("")]
    child.process.kill()
    _, log = child.process.communicate()
    assert b"a pass may print" in log


def test_time_that_is_up_ends_it_with_a_trace(child: Child) -> None:
    assert child.ask(job(jobs.loop, seconds=0.5)) == [None]
    assert child.process.wait(timeout=120) == 1
    assert child.box.step() == "looping"
    assert "in loop" in child.box.trace()


def test_memory_that_is_up_ends_it_with_a_status(child: Child) -> None:
    (reply,) = child.ask(job(jobs.allocate_bit_by_bit, megabytes=100))
    if reply is None:
        assert child.process.wait(timeout=120) == OUT_OF_MEMORY
    else:  # the system was asked for more before it was seen
        assert isinstance(reply, Failed)
        assert (reply.cause, reply.is_last) == (Cause.MEMORY, True)
    assert child.box.step() == "growing"


def test_one_that_has_grown_ends_after_its_job(child: Child) -> None:
    (reply,) = child.ask(job(jobs.grow_a_little, 150, megabytes=250))
    assert isinstance(reply, Done)
    assert reply.is_last
    assert child.process.wait(timeout=120) == 0
