"""Jobs and results come out of a pipe as they went in."""

from __future__ import annotations

import io
import pickle

import pytest

from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.failure import Cause
from nirls.server.engine.worker.messages import Done, Failed, Job, receive, send
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
