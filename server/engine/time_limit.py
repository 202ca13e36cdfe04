"""How long work in another thread may take: it asks at its own steps whether to go on."""

from __future__ import annotations

import time


class OutOfTimeError(Exception):
    """The work was given up: its time is over, or nobody waits for it any more."""


class TimeLimit:
    """An end in time, which anybody may bring forward. None of seconds is no end."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def give_up(self) -> None:
        """End now."""
        self._end = 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end, 0 after it; None for no end."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Called by the work between its steps. Raises OutOfTimeError when the end has come."""
        if self._end is not None and time.monotonic() >= self._end:
            raise OutOfTimeError
