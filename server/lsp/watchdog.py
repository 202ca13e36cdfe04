"""Detection of turns of the event loop that delay all other requests, for the log."""

from __future__ import annotations

import asyncio
import logging
import selectors
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Final

_log = logging.getLogger(__name__)

LONGEST_TURN: Final = 0.2
"""Seconds of CPU time that one turn of the event loop may take."""


class _TurnSelector(selectors.DefaultSelector):
    """A selector that reports when the event loop begins and ends a turn."""

    def __init__(self, watchdog: EventLoopWatchdog) -> None:
        super().__init__()
        self._watchdog = watchdog

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._watchdog.turn_ended()
        try:
            return super().select(timeout)
        finally:
            self._watchdog.turn_began()


class EventLoopWatchdog:
    """Logs turns of one event loop that take too long, with a sample of the stack taken by a thread.

    `tools.fuzz` counts each as a failure of the server.
    """

    def __init__(self, longest: float = LONGEST_TURN) -> None:
        self._longest = longest
        self._began: float | None = None
        self._sample: tuple[float, str] | None = None
        self._thread = threading.get_ident()
        self._clock: Callable[[], float] = time.monotonic
        self._is_busy = threading.Event()
        self._is_over = False

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Make the event loop that is watched. It must run in the thread that calls this."""
        self._thread = threading.get_ident()
        self._clock = _cpu_clock(self._thread)
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()
        return asyncio.SelectorEventLoop(_TurnSelector(self))

    def stop(self) -> None:
        self._is_over = True
        self._began = None
        self._is_busy.set()

    def turn_began(self) -> None:
        self._began = self._clock()
        self._is_busy.set()

    def turn_ended(self) -> None:
        began, self._began = self._began, None
        self._is_busy.clear()
        if began is None:
            return
        seconds = self._clock() - began
        if seconds > self._longest:
            sample = self._sample
            # The sample may be of an earlier turn.
            stack = sample[1] if sample is not None and sample[0] == began else ""
            _log.warning("the server was busy for %.1f s and answered nothing meanwhile:\n%s", seconds, stack)

    def _watch(self) -> None:
        while not self._is_over:
            self._is_busy.wait()
            began = self._began
            time.sleep(self._longest)
            is_sampled = self._sample is not None and self._sample[0] == began
            if began is None or self._began != began or is_sampled:
                continue
            if self._clock() - began > self._longest * 0.9:
                frame = sys._current_frames().get(self._thread)
                # The turn may have ended meanwhile: `began` identifies the sampled turn.
                self._sample = began, "".join(traceback.format_stack(frame)) if frame else ""


def _cpu_clock(thread: int) -> Callable[[], float]:
    """Return a clock of the CPU time of a thread that any thread may read; else of elapsed time."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)
