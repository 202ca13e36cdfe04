"""Worker processes, which can be killed if a pass hangs or exhausts memory.

`multiprocessing` and pebble are not used: their workers survive a server that is killed while a pass hangs,
write the output of passes to the server's standard output, and have no limits per step.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO, Final, ParamSpec, Protocol, TypeVar, cast

from nirls.server.engine.base.shown_text import trace_text
from nirls.server.engine.worker.crash_log import CrashLog
from nirls.server.engine.worker.job import (
    OUT_OF_MEMORY,
    Budget,
    Cause,
    Done,
    Failed,
    Job,
    JobFailedError,
    receive,
    send,
)

_SIGKILL: Final = 9  # `signal` has no such name on Windows, where no process ends with it
_TIMEOUT_REPORT: Final = "Timeout ("  # start of faulthandler's report

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


class Worker(Protocol):
    """Runs jobs one at a time."""

    def start(self) -> None: ...

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT: ...

    def end_job(self, function: Callable[..., object] | None = None) -> None: ...

    def stop(self) -> None: ...


class InlineWorker:
    """Runs jobs in this process without limits: for short-lived programs and tests."""

    def __init__(self, budget: Budget | None = None) -> None:
        """Take a budget as `WorkerProcess` does, and ignore it."""

    def start(self) -> None:
        """Do nothing, as there is no process."""

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """Call the function. Raises JobFailedError if it raises."""
        try:
            return function(*arguments, **named)
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            raise JobFailedError(Cause.RAISED, "", detail, trace_text(error)) from error

    def end_job(self, function: Callable[..., object] | None = None) -> None:
        """Do nothing, as no job runs in another thread."""

    def stop(self) -> None:
        """Do nothing, as there is no process."""


class WorkerProcess:
    """Runs jobs one at a time in a process that is started with the first job and replaced when it ends."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._process: subprocess.Popen[bytes] | None = None
        self._crash_log: CrashLog | None = None
        self._one_at_a_time = threading.Lock()
        self._function: Callable[..., object] | None = None
        self._stopped = threading.Event()
        self._is_given_up = False
        self._was_killed = False

    def start(self) -> None:
        """Start the process ahead of the first job. Raises OSError."""
        with self._one_at_a_time:
            self._running()

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """Call a module-level function in the process and return its result.

        Arguments and result are pickled. `seconds` limits each step of the job, None means the budget's
        limit. If the process ends outside of any step, or is killed by the system, the function is called
        once more in another process. Raises JobFailedError for every failure, exceptions of the function
        included.
        """
        budget = self.budget if seconds is None else replace(self.budget, seconds=seconds)
        job = Job(function, arguments, named, budget)
        with self._one_at_a_time:
            self._is_given_up = False
            self._function = function
            try:
                return cast(ResultT, self._do(job))
            except JobFailedError as error:
                if error.cause is not Cause.DIED or (error.step and not self._was_killed):
                    raise
                return cast(ResultT, self._do(job))
            finally:
                self._function = None

    def end_job(self, function: Callable[..., object] | None = None) -> None:
        """End the running job, if any, or only that of `function`; its caller gets a JobFailedError."""
        process, running = self._process, self._function
        if process is not None and running is not None and function in (None, running):
            self._is_given_up = True
            process.kill()

    def stop(self) -> None:
        """End the process for good. Later jobs fail."""
        self._stopped.set()
        process = self._process
        if process is not None:
            process.kill()
        # A caller that waits for a job notices the end and cleans up itself.
        if self._one_at_a_time.acquire(blocking=False):
            self._forget()
            self._one_at_a_time.release()

    def _do(self, job: Job) -> object:
        try:
            process = self._running()
        except OSError as error:
            raise JobFailedError(
                Cause.DIED, detail=f"no process for passes could be started: {error}"
            ) from error
        try:
            send(cast(BinaryIO, process.stdin), job)
            reply = receive(cast(BinaryIO, process.stdout))
        except OSError:
            reply = None
        if reply is None:
            raise self._why_it_ended(process)
        if reply.is_last:
            self._forget()
        if isinstance(reply, Failed):
            raise JobFailedError(reply.cause, reply.step, reply.detail, reply.trace)
        assert isinstance(reply, Done)
        return reply.result

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and process.poll() is None:
            return process
        if self._stopped.is_set():
            raise JobFailedError(Cause.STOPPED)
        self._forget()
        self._crash_log = log = CrashLog()
        self._process = process = subprocess.Popen(
            # -P: an editor starts the server in a workspace folder, from which nothing may be imported.
            [sys.executable, "-P", "-m", "nirls.server.engine.worker.child", log.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            # Ctrl-C in a terminal must reach only the command, which then stops the worker.
            process_group=0,
            pass_fds=log.inherited,
        )
        if self._stopped.is_set():  # stopped by another thread during the start
            process.kill()
        return process

    def _why_it_ended(self, process: subprocess.Popen[bytes]) -> JobFailedError:
        self._let_go(process)
        assert self._crash_log is not None
        step, trace = self._crash_log.step(), self._crash_log.trace()
        self._was_killed = process.returncode == -_SIGKILL
        self._forget()
        if self._stopped.is_set() or self._is_given_up:
            return JobFailedError(Cause.STOPPED)
        if process.returncode == OUT_OF_MEMORY:
            return JobFailedError(Cause.MEMORY, step, f"more than {self.budget.megabytes} MB", trace)
        if trace.startswith(_TIMEOUT_REPORT):
            return JobFailedError(Cause.TIME, step, "", trace)
        return JobFailedError(Cause.DIED, step, f"exit status {process.returncode}", trace)

    def _forget(self) -> None:
        """Drop the process; the next job starts another."""
        if self._process is not None:
            self._let_go(self._process)
            self._process = None
        if self._crash_log is not None:
            self._crash_log.close()
            self._crash_log = None

    @staticmethod
    def _let_go(process: subprocess.Popen[bytes]) -> None:
        """Close the pipes, which ends the process, and wait for its end."""
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # a job that was never received
                    stream.close()
        process.wait()
