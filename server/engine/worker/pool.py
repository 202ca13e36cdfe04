"""Several worker processes behind the interface of one."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from nirls.server.engine.worker.process import Worker

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


class WorkerPool:
    """Runs as many jobs at a time as it has workers; further callers wait.

    The worker that was used last is taken first, so that single jobs need one process only.
    """

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = tuple(workers)
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)

    def start(self) -> None:
        """Start the first process ahead of the first job. Raises OSError."""
        self._workers[0].start()

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """Call a function in an idle process, see `WorkerProcess.call`."""
        worker = self._idle.get()
        try:
            return worker.call(seconds, function, *arguments, **named)
        finally:
            self._idle.put(worker)

    def end_job(self, function: Callable[..., object] | None = None) -> None:
        """End all running jobs, or only that of `function`; their callers get a JobFailedError."""
        for worker in self._workers:
            worker.end_job(function)

    def stop(self) -> None:
        """End the processes for good. Later jobs fail."""
        for worker in self._workers:
            worker.stop()
