"""Main loop of the worker process: run jobs until the parent closes the pipe."""

from __future__ import annotations

import gc
import io
import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO, Final, NoReturn

from nirls.server.engine.base.shown_text import trace_text
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.crash_log import CrashLogWriter
from nirls.server.engine.worker.job import Cause, Done, Failed, Job, receive_bytes, send
from nirls.server.engine.worker.limits import MemoryGuard, TimeGuard

_RETIRES_AT: Final = 0.5
"""Fraction of the memory limit above which the process is replaced after a job."""


_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Dumps are large cyclic garbage that a job leaves all at once. With Python's 700 new objects between two
collections, verification takes 1.4 times as long; with more than this it only takes more memory."""


def main() -> NoReturn:
    """Serve the parent. The only command-line argument is the address of the crash log."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    requests, replies = _take_streams()
    recorder = CrashLogWriter(sys.argv[1])
    memory, clock = MemoryGuard(recorder), TimeGuard(recorder)
    # As bytes: unpickling a job imports modules, and two threads that import them can lock each other out.
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, jobs), name="nirls-parent", daemon=True).start()
    # Import the modules of the first job before it arrives.
    import nirls.server.engine.checks.pass_jobs

    if jobs.empty():
        nirls.server.engine.checks.pass_jobs.import_finders()
    while True:
        reply = _do(pickle.loads(jobs.get()), recorder, memory, clock)
        send(replies, reply)
        if reply.is_last:
            os._exit(0)
        del reply


def _do(job: Job, recorder: CrashLogWriter, memory: MemoryGuard, clock: TimeGuard) -> Done | Failed:
    step = ""

    def begin(name: str) -> None:
        nonlocal step
        step = name
        recorder.begin(name)
        clock.set(job.budget.seconds)

    steps.watch(begin)
    begin("")
    memory.set(job.budget.megabytes)
    retires_at = int(job.budget.megabytes * _RETIRES_AT)
    try:
        result = job.function(*job.arguments, **job.named)
    except BaseException as error:
        cause = Cause.MEMORY if isinstance(error, MemoryError) else Cause.RAISED
        detail = f"{type(error).__name__}: {error}"
        return Failed(cause, step, detail, trace_text(error), cause is Cause.MEMORY)
    finally:
        clock.stop()
        memory.stop()
    return Done(result, memory.has_grown(retires_at))


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the parent; redirect stdin to the null device and stdout to stderr for passes."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The process ends without flushing.
        sys.stdout.reconfigure(line_buffering=True)
    return requests, replies


def _listen(requests: BinaryIO, jobs: queue.SimpleQueue[bytes]) -> None:
    try:
        while (job := receive_bytes(requests)) is not None:
            jobs.put(job)
    finally:
        # The parent is gone: exit even if a pass is running.
        os._exit(0)


if __name__ == "__main__":
    main()
