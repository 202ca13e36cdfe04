"""Limits that a worker process sets itself.

The time limit holds even while C code blocks the interpreter.
"""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from typing import Final

import psutil

from nirls.server.engine.worker.crash_log import CrashLogWriter
from nirls.server.engine.worker.job import OUT_OF_MEMORY

_POLL_INTERVAL: Final = 0.1
_TOLERANCE: Final = 0.05
"""Fraction of a time limit by which a step may exceed it. Each timer is a new thread, which takes 0.04 ms: a
twentieth of the mean step of a check."""

_MEGABYTE: Final = 1 << 20


class TimeGuard:
    """Ends the process with a stack trace in the crash log unless stopped or set again in time."""

    def __init__(self, recorder: CrashLogWriter) -> None:
        self._recorder = recorder
        self._seconds = 0.0
        self._set_at = 0.0

    def set(self, seconds: float) -> None:
        """Start or restart the timer; it fires between `seconds` and 5 % later."""
        now = time.monotonic()
        if seconds == self._seconds and now <= self._set_at + seconds * _TOLERANCE:
            return
        self._seconds, self._set_at = seconds, now
        # faulthandler uses a C thread, which fires even if a call holds the GIL for ever.
        limit = seconds * (1 + _TOLERANCE)
        faulthandler.dump_traceback_later(limit, exit=True, file=self._recorder.trace_file)

    def stop(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()
        self._seconds = 0.0


class MemoryGuard:
    """Limits the growth of the process in megabytes.

    A large allocation raises MemoryError where the system supports it (Linux). Gradual growth is detected by
    a thread, which ends the process.
    """

    def __init__(self, recorder: CrashLogWriter) -> None:
        self._recorder = recorder
        self._process = psutil.Process()
        self._base = self.used()
        self._most = 0
        self._is_watching = threading.Event()
        threading.Thread(target=self._watch, name="nirls-memory", daemon=True).start()

    def used(self) -> int:
        """Resident memory of the process in bytes."""
        return int(self._process.memory_info().rss)

    def set(self, megabytes: int) -> None:
        """Start watching with this limit."""
        self._most = self._base + megabytes * _MEGABYTE
        self._limit_address_space(megabytes)
        self._is_watching.set()

    def stop(self) -> None:
        """Stop watching."""
        self._is_watching.clear()

    def has_grown(self, megabytes: int) -> bool:
        """Whether the process has grown by more than this since its start."""
        return self.used() > self._base + megabytes * _MEGABYTE

    def _limit_address_space(self, megabytes: int) -> None:
        try:
            import resource  # not on Windows
        except ImportError:  # Windows
            return
        now = int(self._process.memory_info().vms)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = now + megabytes * _MEGABYTE
        if hard == resource.RLIM_INFINITY or wanted < hard:
            try:
                resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
            except (OSError, ValueError):  # macOS refuses
                return

    def _watch(self) -> None:
        while True:
            self._is_watching.wait()
            if self.used() > self._most:
                faulthandler.dump_traceback(file=self._recorder.trace_file, all_threads=True)
                os._exit(OUT_OF_MEMORY)
            threading.Event().wait(_POLL_INTERVAL)
