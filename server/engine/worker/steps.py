"""Steps of a job: each has its own time limit and is named in the failure if it exceeds a limit."""

from __future__ import annotations

from collections.abc import Callable


def _nobody_asks(_step: str) -> None:
    """Default observer that does nothing, for processes without limits."""


_begin: Callable[[str], None] = _nobody_asks


def begin(step: str) -> None:
    """Report the start of a step; called by a job."""
    _begin(step)


def watch(begin_step: Callable[[str], None]) -> None:
    """Set the observer of steps; called by the worker process."""
    global _begin
    _begin = begin_step
