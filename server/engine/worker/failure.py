"""What becomes of a job that was not done."""

from __future__ import annotations

from enum import Enum
from typing import Final

OUT_OF_MEMORY: Final = 71
"""Exit status of a worker process that grew too large."""


class Cause(Enum):
    """Why a job was not done."""

    RAISED = "raised an exception"
    TIME = "took too long"
    MEMORY = "took too much memory"
    DIED = "ended its process"
    STOPPED = "was stopped"
    LEFT_OFF = "is left off"


class JobFailedError(Exception):
    """A job was not done. `step` is what it was at, "" if it named none; `trace` is where, if known."""

    def __init__(self, cause: Cause, step: str = "", detail: str = "", trace: str = "") -> None:
        super().__init__(detail or cause.value)
        self.cause = cause
        self.step = step
        self.detail = detail
        self.trace = trace
