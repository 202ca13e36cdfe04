"""A file that a worker process writes as it goes, read by its parent when the process is gone.

It holds the name of the step at work, and where in the code the process was when a limit ended it. Writing
a name costs a microsecond; telling the parent each time would wake it up each time.

The system deletes the file once no process has it open any more, however those end. Elsewhere than on
Windows it has no name even before, so the worker inherits it.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO, Any, Final

_NAME_SIZE: Final = 256
_LONGEST_TRACE: Final = 64_000
_HAS_NAME: Final = os.name == "nt"


class BlackBox:
    """The file as the parent has it. Where none can be made, a process that ends says less."""

    def __init__(self) -> None:
        self._file = _new_file()

    @property
    def inherited(self) -> tuple[int, ...]:
        """The file descriptors that the worker must inherit."""
        return () if _HAS_NAME else (self._file.fileno(),)

    @property
    def address(self) -> str:
        """What the worker is told: the descriptor, or where that is not inherited, the name."""
        return str(self._file.name if _HAS_NAME else self._file.fileno())

    def step(self) -> str:
        """The step that was begun last, "" for none."""
        return self._read()[:_NAME_SIZE].rstrip(b"\0 ").decode("utf-8", "replace")

    def trace(self) -> str:
        """Where the process was when it was ended, "" if it could not say."""
        return self._read()[_NAME_SIZE:].decode("utf-8", "replace").strip("\0")

    def close(self) -> None:
        """Let go of the file: nothing is known from it any more."""
        self._file.close()

    def _read(self) -> bytes:
        if self._file.closed:
            return b""
        self._file.seek(0)
        return bytes(self._file.read(_NAME_SIZE + _LONGEST_TRACE))


def _new_file() -> IO[Any]:
    try:
        return tempfile.TemporaryFile(prefix="nirls-worker-", buffering=0)
    except OSError:
        return open(os.devnull, "r+b", buffering=0)


class Recorder:
    """The file as the worker has it, which is told its address."""

    def __init__(self, address: str) -> None:
        self._file = _opened(address) if _HAS_NAME else int(address)

    @property
    def trace_file(self) -> int:
        """The file descriptor to write a trace to, placed behind the name."""
        os.lseek(self._file, _NAME_SIZE, os.SEEK_SET)
        return self._file

    def begin(self, step: str) -> None:
        """Write down what is done from now on."""
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, step.encode()[:_NAME_SIZE].ljust(_NAME_SIZE))
        os.lseek(self._file, _NAME_SIZE, os.SEEK_SET)


def _opened(name: str) -> int:
    """The file of a name. Windows lets a second process open it that wants it deleted in the end too."""
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0)
    try:
        return os.open(name, flags | getattr(os, "O_TEMPORARY", 0))
    except OSError:
        return os.open(os.devnull, flags)
