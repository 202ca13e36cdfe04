"""Jobs for worker processes: limits, failures, and the messages between the two processes.

Messages are pickled, each behind its length. Only a server and the worker that it started itself exchange
them, over pipes that no other process has.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, BinaryIO, Final

OUT_OF_MEMORY: Final = 71
"""Exit status of a worker process that exceeded its memory limit."""

_LENGTH: Final = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a job: seconds for each of its steps, and megabytes that the process may grow by."""

    seconds: float = 20.0
    megabytes: int = 1024


class Cause(Enum):
    """Why a job was not done."""

    RAISED = "raised an exception"
    TIME = "took too long"
    MEMORY = "took too much memory"
    DIED = "ended its process"
    STOPPED = "was stopped"
    LEFT_OFF = "is disabled"


class JobFailedError(Exception):
    """A job was not done. `step` is the step that failed, "" if unnamed; `trace` is a stack trace or ""."""

    def __init__(self, cause: Cause, step: str = "", detail: str = "", trace: str = "") -> None:
        super().__init__(detail or cause.value)
        self.cause = cause
        self.step = step
        self.detail = detail
        self.trace = trace


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a module-level function with arguments that can be pickled."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    budget: Budget


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a job. `is_last` means that the process ends now, because it has grown."""

    result: Any
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The exception of a job."""

    cause: Cause
    step: str
    detail: str
    trace: str
    is_last: bool = False


def send(stream: BinaryIO, message: Job | Done | Failed) -> None:
    """Write a message. Raises OSError and pickling errors."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read the next message; None at the end of the stream. Raises OSError and unpickling errors."""
    data = receive_bytes(stream)
    return None if data is None else pickle.loads(data)


def receive_bytes(stream: BinaryIO) -> bytes | None:
    """Read the next message as it was pickled; None at the end of the stream. Raises OSError."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    data = stream.read(size)
    return data if len(data) == size else None
