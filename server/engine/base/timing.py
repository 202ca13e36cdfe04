"""Time of long work: slices on the event loop, with other work in between, and limits of work in threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from typing import Final, TypeVar

ResultT = TypeVar("ResultT")

Steps = Generator[None, None, ResultT]
"""Work that yields after each step, and returns its result."""

SLICE: Final = 0.005
"""Length of a slice in seconds. Editors have several requests at a time, each with its own slices."""


class TimeSlices:
    """The slices of some work on the event loop; the first begins when this is made."""

    def __init__(self) -> None:
        self._end = time.perf_counter() + SLICE

    async def pause_if_over(self) -> None:
        """Give other work a turn if the slice is over, and begin the next one."""
        if time.perf_counter() > self._end:
            await asyncio.sleep(0)
            self._end = time.perf_counter() + SLICE


async def in_slices(steps: Steps[ResultT]) -> ResultT:
    """Run a generator to its end, with a turn for other work after each slice; return its result."""
    slices = TimeSlices()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: ResultT = end.value
            return result
        await slices.pause_if_over()


def at_once(steps: Steps[ResultT]) -> ResultT:
    """Run a generator to its end without a pause, and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: ResultT = end.value
            return result


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
