from __future__ import annotations

import pytest

from nirls.server.engine.worker.failure import Cause, JobFailedError
from nirls.server.engine.worker.here import Here

from . import jobs


def test_a_job_is_done_at_once() -> None:
    assert Here().call(1.0, jobs.double, 21) == 42


def test_an_exception_is_told_like_that_of_a_process() -> None:
    with pytest.raises(JobFailedError) as caught:
        Here().call(None, jobs.raise_it)
    assert caught.value.cause is Cause.RAISED
    assert "raise_it" in caught.value.trace
    assert str(caught.value) == caught.value.detail
