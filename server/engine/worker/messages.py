"""Jobs and results between the two processes: pickled, each behind its length.

Only a server and the worker that it has started itself talk like this, over pipes that nobody else has.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.failure import Cause

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Job:
    """A function of a module, called by its name there, with arguments that can be pickled."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    budget: Budget


@dataclass(frozen=True, slots=True)
class Done:
    """A result. `is_last` says that the process ends now, because it has grown."""

    result: Any
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """A job raised."""

    cause: Cause
    step: str
    detail: str
    trace: str
    is_last: bool = False


def send(stream: BinaryIO, message: Job | Done | Failed) -> None:
    """Write a message. Raises OSError, and what pickling raises."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message, None at the end of the stream. Raises OSError, and what unpickling raises."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None
