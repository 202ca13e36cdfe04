"""A worker that is no process: the job is done at once where it is asked for, and without a limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

from nirls.server.engine.trace_text import trace_text
from nirls.server.engine.worker.failure import Cause, JobFailedError

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


class Worker(Protocol):
    """Does jobs; see `nirls.server.engine.worker.process.WorkerProcess`."""

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT: ...

    def end_job(self) -> None: ...

    def stop(self) -> None: ...


class Here:
    """For programs that end when their work is done, and for tests."""

    def call(
        self,
        seconds: float | None,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """What the function returns. Raises JobFailedError if it raises."""
        try:
            return function(*arguments, **named)
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            raise JobFailedError(Cause.RAISED, "", detail, trace_text(error)) from error

    def end_job(self) -> None:
        """Nothing can be ended."""

    def stop(self) -> None:
        """Nothing runs."""
