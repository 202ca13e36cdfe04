from __future__ import annotations

import io

import pytest

from nirls.server.worker.budget import Budget
from nirls.server.worker.failure import Cause
from nirls.server.worker.messages import Done, Failed, Job, receive, send

from . import jobs

MESSAGES = [
    Job(jobs.double, (21,), {}, Budget()),
    Done({"found": [b"bytes"]}, is_last=True),
    Failed(Cause.TIME, "opt_dce", "took too long", ""),
]


def test_messages_arrive_in_order() -> None:
    stream = io.BytesIO()
    for message in MESSAGES:
        send(stream, message)
    stream.seek(0)
    assert [receive(stream) for _ in MESSAGES] == MESSAGES
    assert receive(stream) is None


@pytest.mark.parametrize("kept", [0, 3, 8, 20])
def test_a_parent_that_is_gone_ends_the_stream(kept: int) -> None:
    stream = io.BytesIO()
    send(stream, MESSAGES[0])
    assert receive(io.BytesIO(stream.getvalue()[:kept])) is None
