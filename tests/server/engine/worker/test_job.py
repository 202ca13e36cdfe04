"""Jobs and results come out of a pipe as they went in."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace

import pytest

from nirls.server.engine.worker.job import (
    OUT_OF_MEMORY,
    Budget,
    Cause,
    Done,
    Failed,
    Job,
    JobFailedError,
    receive,
    send,
)
from nirls.server.engine.worker.process import WorkerProcess
from tests.server.engine.worker import jobs


def wire(*messages: Job | Done | Failed) -> bytes:
    stream = io.BytesIO()
    for message in messages:
        send(stream, message)
    return stream.getvalue()


def test_messages_come_one_by_one() -> None:
    sent = [
        Job(jobs.double, (21,), {}, Budget(seconds=1.5, megabytes=3)),
        Done({"a": b"\0" * 100_000}, is_last=True),
        Failed(Cause.TIME, "step", "detail", "trace"),
    ]
    stream = io.BytesIO(wire(*sent))
    assert [receive(stream) for _ in sent] == sent
    assert receive(stream) is None


def test_a_function_is_the_one_of_its_module() -> None:
    received = receive(io.BytesIO(wire(Job(jobs.double, (4,), {}, Budget()))))
    assert received.function is jobs.double
    assert received.function(*received.arguments) == 8


@pytest.mark.parametrize("left_out", [1, 50])
def test_a_message_that_breaks_off_is_the_end(left_out: int) -> None:
    data = wire(Done("x" * 100))
    assert receive(io.BytesIO(data[:-left_out])) is None
    assert receive(io.BytesIO(data[:3])) is None


def test_what_cannot_be_pickled_is_not_sent_in_part() -> None:
    stream = io.BytesIO()
    with pytest.raises((pickle.PicklingError, AttributeError)):
        send(stream, Done(lambda: None))
    assert stream.getvalue() == b""


def test_a_worker_has_the_usual_budget() -> None:
    assert WorkerProcess().budget == Budget()
    assert Budget().seconds > 0
    assert Budget().megabytes > 0


def test_a_job_may_have_other_time_and_as_much_memory() -> None:
    budget = Budget(seconds=3.0, megabytes=7)
    assert replace(budget, seconds=1.0) == Budget(seconds=1.0, megabytes=7)
    assert WorkerProcess(budget).budget is budget


@pytest.mark.parametrize("cause", list(Cause))
def test_a_failure_without_detail_says_its_cause(cause: Cause) -> None:
    error = JobFailedError(cause)
    assert str(error) == cause.value
    assert (error.step, error.detail, error.trace) == ("", "", "")


def test_a_detail_says_more_than_the_cause() -> None:
    error = JobFailedError(Cause.RAISED, "pass", "ValueError: no good", "trace")
    assert str(error) == "ValueError: no good"
    assert (error.cause, error.step, error.trace) == (Cause.RAISED, "pass", "trace")


def test_no_other_end_has_the_exit_status_of_memory() -> None:
    """0 and 1 are Python's own, 2 is wrong usage; signals are negative, 128 and more in a shell."""
    assert 2 < OUT_OF_MEMORY < 128
