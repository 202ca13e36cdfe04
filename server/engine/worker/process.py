"""A worker process as its parent has it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO, Final, ParamSpec, TypeVar, cast

from nirls.server.engine.worker.black_box import BlackBox
from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.failure import OUT_OF_MEMORY, Cause, JobFailedError
from nirls.server.engine.worker.messages import Done, Failed, Job, receive, send

_MARK_OF_TIME: Final = "Timeout ("  # how faulthandler begins its report

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


class WorkerProcess:
    """Does jobs one at a time in a process of its own, started with the first and replaced when it ends."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._process: subprocess.Popen[bytes] | None = None
        self._black_box: BlackBox | None = None
        self._one_at_a_time = threading.Lock()
        self._stopped = threading.Event()
        self._is_given_up = False

    def start(self) -> None:
        """Start the process, so that the first job need not wait for it. Raises OSError."""
        with self._one_at_a_time:
            self._running()

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """What a function of a module returns, called in the process; waits for it.

        Arguments and result are pickled. Each step of the job may take so many seconds, None for those of
        the budget. Raises JobFailedError for whatever goes wrong, the function's own exceptions included.
        """
        budget = self.budget if seconds is None else replace(self.budget, seconds=seconds)
        job = Job(function, arguments, named, budget)
        with self._one_at_a_time:
            self._is_given_up = False
            return cast(ResultT, self._do(job))

    def end_job(self) -> None:
        """End the job at work, if there is one: JobFailedError for who waits for it."""
        process = self._process
        if process is not None and self._one_at_a_time.locked():
            self._is_given_up = True
            process.kill()

    def stop(self) -> None:
        """End the process for good. Jobs that come later fail."""
        self._stopped.set()
        process = self._process
        if process is not None:
            process.kill()
        # Who waits for a job sees that it ended, and tidies up.
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
        self._black_box = box = BlackBox()
        self._process = process = subprocess.Popen(
            # -P: an editor starts the server in somebody's workspace, and nothing of that is run.
            [sys.executable, "-P", "-m", "nirls.server.engine.worker.child", box.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            # Ctrl-C in a terminal is for the command, which then ends this one.
            process_group=0,
            pass_fds=box.inherited,
        )
        if self._stopped.is_set():  # while it was started
            process.kill()
        return process

    def _why_it_ended(self, process: subprocess.Popen[bytes]) -> JobFailedError:
        self._let_go(process)
        assert self._black_box is not None
        step, trace = self._black_box.step(), self._black_box.trace()
        self._forget()
        if self._stopped.is_set() or self._is_given_up:
            return JobFailedError(Cause.STOPPED)
        if process.returncode == OUT_OF_MEMORY:
            return JobFailedError(Cause.MEMORY, step, f"more than {self.budget.megabytes} MB", trace)
        if trace.startswith(_MARK_OF_TIME):
            return JobFailedError(Cause.TIME, step, "", trace)
        return JobFailedError(Cause.DIED, step, f"exit status {process.returncode}", trace)

    def _forget(self) -> None:
        """Be without a process, until the next job needs one."""
        if self._process is not None:
            self._let_go(self._process)
            self._process = None
        if self._black_box is not None:
            self._black_box.close()
            self._black_box = None

    @staticmethod
    def _let_go(process: subprocess.Popen[bytes]) -> None:
        """Hang up, which ends a process that has not ended yet, and wait for that."""
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # a job that it never took
                    stream.close()
        process.wait()
