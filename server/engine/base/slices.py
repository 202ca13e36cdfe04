"""Work on all dumps of a document in time slices, with other work of the event loop in between."""

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
