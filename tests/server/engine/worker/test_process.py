"""A worker process: what it does, what ends it, and that the next job finds another."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import InlineWorker, WorkerProcess
from tests.server.engine.worker import jobs

ROOT = Path(__file__).parents[4]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerProcess]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = WorkerProcess(Budget(seconds=60, megabytes=300))
    yield made
    made.stop()


def failure_of(worker: WorkerProcess, job: object, *, seconds: float | None = None) -> JobFailedError:
    with pytest.raises(JobFailedError) as caught:
        worker.call(seconds, job)  # type: ignore[arg-type]
    return caught.value


def test_a_job_is_done_elsewhere(worker: WorkerProcess) -> None:
    assert worker.call(None, jobs.double, 21) == 42
    first = worker.call(None, jobs.process_id)
    assert first != os.getpid()
    assert worker.call(None, jobs.process_id) == first


def test_what_a_job_prints_does_no_harm(worker: WorkerProcess) -> None:
    assert worker.call(None, jobs.print_and_read) == ""
    assert worker.call(None, jobs.double, 1) == 2


def test_an_exception_is_told_with_its_trace(worker: WorkerProcess) -> None:
    process = worker.call(None, jobs.process_id)
    error = failure_of(worker, jobs.raise_it)
    assert (error.cause, error.step, error.detail) == (Cause.RAISED, "raising", "ValueError: no good")
    assert "in raise_it" in error.trace
    assert worker.call(None, jobs.process_id) == process


@pytest.mark.parametrize(("job", "step"), [(jobs.loop, "looping"), (jobs.loop_in_c, "matching")])
def test_a_loop_without_end_is_ended(worker: WorkerProcess, job: object, step: str) -> None:
    error = failure_of(worker, job, seconds=0.5)
    assert (error.cause, error.step) == (Cause.TIME, step)
    assert f"in {job.__name__}" in error.trace  # type: ignore[attr-defined]
    assert worker.call(None, jobs.double, 2) == 4


def test_each_step_has_the_time_for_itself(worker: WorkerProcess) -> None:
    worker.call(None, jobs.double, 1)
    assert worker.call(6, jobs.take_turns, 1.6) == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory that is asked for at once")
def test_memory_asked_for_at_once_is_refused(worker: WorkerProcess) -> None:
    error = failure_of(worker, jobs.allocate_at_once)
    assert (error.cause, error.step) == (Cause.MEMORY, "allocating")
    assert worker.call(None, jobs.double, 2) == 4


def test_memory_taken_bit_by_bit_is_seen(worker: WorkerProcess) -> None:
    error = failure_of(worker, jobs.allocate_bit_by_bit)
    assert (error.cause, error.step) == (Cause.MEMORY, "growing")
    assert "in allocate_bit_by_bit" in error.trace
    assert worker.call(None, jobs.double, 2) == 4


def test_a_process_that_has_grown_is_replaced_after_its_job(worker: WorkerProcess) -> None:
    small = worker.call(None, jobs.grow_a_little, 10)
    assert worker.call(None, jobs.grow_a_little, 160) == small
    assert worker.call(None, jobs.process_id) != small


def test_a_process_that_dies_is_told_of_and_replaced(worker: WorkerProcess) -> None:
    error = failure_of(worker, jobs.die)
    assert (error.cause, error.step, error.detail) == (Cause.DIED, "dying", "exit status 3")
    assert worker.call(None, jobs.double, 2) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("step", ["", "a pass"])
def test_a_job_whose_process_is_killed_is_done_once_more(
    worker: WorkerProcess, tmp_path: Path, step: str
) -> None:
    assert worker.call(None, jobs.be_killed, 1, str(tmp_path), step) == 2
    (tmp_path / "calls").unlink()
    with pytest.raises(JobFailedError) as caught:
        worker.call(None, jobs.be_killed, 2, str(tmp_path), step)
    assert (caught.value.cause, caught.value.step) == (Cause.DIED, step)
    assert caught.value.detail == "exit status -9"


def test_a_job_can_be_given_up(worker: WorkerProcess) -> None:
    worker.start()
    errors: list[JobFailedError] = []

    def wait() -> None:
        errors.append(failure_of(worker, jobs.loop))

    thread = threading.Thread(target=wait)
    thread.start()
    while thread.is_alive():
        worker.end_job()
        time.sleep(0.05)
    assert errors[0].cause is Cause.STOPPED
    assert worker.call(None, jobs.double, 3) == 6


def test_only_the_job_of_a_function_is_given_up(worker: WorkerProcess) -> None:
    worker.start()
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.append(worker.call(None, jobs.double, 3)))
    thread.start()
    while thread.is_alive():
        worker.end_job(jobs.loop)
        time.sleep(0.01)
    assert results == [6]


def test_a_stopped_worker_leaves_no_process_and_takes_no_job(worker: WorkerProcess) -> None:
    process = psutil.Process(worker.call(None, jobs.process_id))
    worker.stop()
    process.wait(timeout=120)
    assert failure_of(worker, jobs.process_id).cause is Cause.STOPPED


def test_a_worker_ends_with_its_parent(worker: WorkerProcess) -> None:
    process = psutil.Process(worker.call(None, jobs.process_id))
    threading.Thread(target=lambda: failure_of(worker, jobs.loop), daemon=True).start()
    time.sleep(0.2)
    assert worker._process is not None
    assert worker._process.stdin is not None
    worker._process.stdin.close()
    process.wait(timeout=120)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows deletes the file when both have ended")
def test_whoever_is_killed_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "from nirls.server.engine.worker.process import InlineWorker, WorkerProcess; "
        "from tests.server.engine.worker import jobs; "
        "worker = WorkerProcess(); print(worker.call(None, jobs.process_id), flush=True); "
        "worker.call(None, jobs.loop)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-P", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        child.suspend()
        parent.kill()
        child.kill()
    assert list(tmp_path.iterdir()) == []


def test_a_job_is_done_at_once() -> None:
    assert InlineWorker().call(1.0, jobs.double, 21) == 42


def test_an_exception_is_told_like_that_of_a_process() -> None:
    with pytest.raises(JobFailedError) as caught:
        InlineWorker().call(None, jobs.raise_it)
    assert caught.value.cause is Cause.RAISED
    assert "raise_it" in caught.value.trace
    assert str(caught.value) == caught.value.detail
