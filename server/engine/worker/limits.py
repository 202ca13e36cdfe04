"""Limits that a worker process sets itself, and its garbage collection between jobs.

The time limit holds even while C code blocks the interpreter.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psutil

from nirls.server.engine.worker.crash_log import CrashLogWriter
from nirls.server.engine.worker.job import OUT_OF_MEMORY

_POLL_INTERVAL: Final = 0.1
_TOLERANCE: Final = 0.05
"""Fraction of a time limit by which a step may exceed it. Each timer is a new thread."""

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


def release_free_pages() -> None:
    """Return the free pages of the C heap to the system, where its C library can (glibc).

    By itself, glibc returns only those above the last block in use: a single small block keeps all that a job
    has freed below it.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # musl
            ctypes.CDLL(None).malloc_trim(0)


_OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000
"""More than the IR of most dumps has; a collection over live IR frees nothing."""

_GROWTH_BETWEEN_COLLECTIONS: Final = 8 << 20
"""Growth of the process in bytes that triggers a full garbage collection. The IR is cyclic; without this,
Python collects it only after some hundred megabytes."""

_BLOCKS_BETWEEN_COLLECTIONS: Final = 100_000
"""Growth in small blocks of memory, some 8 MB, that triggers one too. A few blocks in use keep their pages,
so that the process does not shrink, and its growth alone would trigger collections ever more seldom."""


class Collector:
    """Collects garbage between jobs, where a process has grown; `used` returns its memory in bytes.

    What is loaded when it is made, and by the first jobs, is exempt from collections.
    """

    def __init__(self, used: Callable[[], int]) -> None:
        gc.freeze()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
        self._memory = used
        self._used, self._blocks = used(), sys.getallocatedblocks()
        self._is_frozen = False

    def after_job(self) -> None:
        """Collect if the process, or the number of its blocks, has grown since the last collection."""
        if (
            self._memory() <= self._used + _GROWTH_BETWEEN_COLLECTIONS
            and sys.getallocatedblocks() <= self._blocks + _BLOCKS_BETWEEN_COLLECTIONS
        ):
            return
        gc.collect()
        if not self._is_frozen:
            # The tables and modules that the first jobs have loaded.
            gc.freeze()
            self._is_frozen = True
        release_free_pages()
        self._used, self._blocks = self._memory(), sys.getallocatedblocks()
