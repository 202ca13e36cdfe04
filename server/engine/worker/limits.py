"""Limits that a worker process sets itself; that of time holds even where work never comes back to Python."""

from __future__ import annotations

import faulthandler
import os
import threading
from typing import Final

import psutil

from nirls.server.engine.worker.crash_log import CrashLogWriter
from nirls.server.engine.worker.job import OUT_OF_MEMORY

_LOOK_EVERY: Final = 0.1
_MEGABYTE: Final = 1 << 20


class TimeGuard:
    """Ends the process, with its trace in the black box, unless it is stopped or set again in time."""

    def __init__(self, recorder: CrashLogWriter) -> None:
        self._recorder = recorder

    def set(self, seconds: float) -> None:
        """Begin to count."""
        # Its thread is the C library's: it fires even if a call holds the interpreter for ever.
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._recorder.trace_file)

    def stop(self) -> None:
        """Count no more."""
        faulthandler.cancel_dump_traceback_later()


class MemoryGuard:
    """Keeps the process from growing by more than a number of megabytes.

    What is asked for at once fails as a MemoryError where the system can do that (Linux). What grows
    bit by bit is seen by a thread, which ends the process.
    """

    def __init__(self, recorder: CrashLogWriter) -> None:
        self._recorder = recorder
        self._process = psutil.Process()
        self._base = self.used()
        self._most = 0
        self._is_watching = threading.Event()
        threading.Thread(target=self._watch, name="nirls-memory", daemon=True).start()

    def used(self) -> int:
        """Bytes of memory that the process has now."""
        return int(self._process.memory_info().rss)

    def set(self, megabytes: int) -> None:
        """Begin to watch."""
        self._most = self._base + megabytes * _MEGABYTE
        self._limit_address_space(megabytes)
        self._is_watching.set()

    def stop(self) -> None:
        """Watch no more."""
        self._is_watching.clear()

    def has_grown(self, megabytes: int) -> bool:
        """Whether the process is that much larger than when it began."""
        return self.used() > self._base + megabytes * _MEGABYTE

    def _limit_address_space(self, megabytes: int) -> None:
        try:
            import resource
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
            threading.Event().wait(_LOOK_EVERY)
