"""Trials in a process that is ended when a step takes too long or eats memory: each end is a finding too."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ParamSpec

from nirls.server.engine.worker.job import Budget, JobFailedError
from nirls.server.engine.worker.process import WorkerProcess
from tools.corpus.archive import PROJECT
from tools.fuzz.notes import Wrong

LIMIT = Budget(seconds=120.0, megabytes=2048)
"""For each step of a trial. What is looked for takes for ever or all memory, not twice what it should."""

ParametersT = ParamSpec("ParametersT")


class TrialWatchdog:
    """Runs trials in a worker process, one after the other."""

    def __init__(self, budget: Budget = LIMIT) -> None:
        # A worker imports nothing from the folder that it is started in, so it gets the path of the tools.
        paths = [str(PROJECT), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self._worker = WorkerProcess(budget)

    def run(
        self,
        trial: Callable[ParametersT, tuple[Wrong, ...]],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> tuple[Wrong, ...]:
        """Return the failures of a trial, an end of its process included."""
        try:
            return self._worker.call(None, trial, *arguments, **named)
        except JobFailedError as error:
            return (Wrong(error.step, f"{error.cause.value}: {error.detail}", error.trace),)

    def __enter__(self) -> TrialWatchdog:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._worker.stop()
