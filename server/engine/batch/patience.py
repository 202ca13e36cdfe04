"""Time and memory limits for work in this process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import psutil

from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget

_LOOK_EVERY: Final = 0.25
_MEGABYTE: Final = 1 << 20


class OutOfPatienceError(BaseException):
    """A limit was exceeded. A BaseException, so that handlers of pass exceptions do not catch it."""


@contextmanager
def patience(budget: Budget) -> Iterator[None]:
    """Limit each step of the work to the budget; raises OutOfPatienceError when it is exceeded.

    C code that does not return is not interrupted; on Windows and outside the main thread there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    process = psutil.Process()
    most = process.memory_info().rss + budget.megabytes * _MEGABYTE
    end = time.monotonic() + budget.seconds

    def begin(_step: str) -> None:
        nonlocal end
        end = time.monotonic() + budget.seconds

    def look(_signal: int, _frame: FrameType | None) -> None:
        if time.monotonic() > end or process.memory_info().rss > most:
            raise OutOfPatienceError

    before = signal.signal(signal.SIGALRM, look)
    steps.watch(begin)
    signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        steps.watch(_nobody_asks)


def _nobody_asks(_step: str) -> None:
    """Step observer that does nothing."""
