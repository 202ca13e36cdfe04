"""Steps of a job: each has its own time limit and is named in the failure if it exceeds a limit."""

from __future__ import annotations

from collections.abc import Callable

_begin: Callable[[str], None] | None = None


def begin(step: str) -> None:
    """Report the start of a step; called by a job."""
    if _begin is not None:
        _begin(step)


def watch(begin_step: Callable[[str], None] | None) -> None:
    """Set the observer of steps; None for a process without limits."""
    global _begin
    _begin = begin_step
