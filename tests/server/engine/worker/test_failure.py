"""Failures say what happened, to people and across a pipe."""

from __future__ import annotations

import pytest

from nirls.server.engine.worker.failure import OUT_OF_MEMORY, Cause, JobFailedError


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
