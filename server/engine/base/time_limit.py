"""Cooperative time limit for work in another thread."""

from __future__ import annotations

import time


class OutOfTimeError(Exception):
    """The time limit has passed, or the work was cancelled."""


class TimeLimit:
    """Deadline that any thread may bring forward; no deadline if `seconds` is None."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def give_up(self) -> None:
        """Expire the deadline now."""
        self._end = 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the deadline, 0 after it; None without a deadline."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise OutOfTimeError after the deadline; called between steps of the work."""
        if self._end is not None and time.monotonic() >= self._end:
            raise OutOfTimeError
