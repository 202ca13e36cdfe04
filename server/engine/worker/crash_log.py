"""A file in which a worker process records its current step, read by the parent after the process ended.

It also holds the stack trace of a process that exceeded a limit. Recording a step takes a microsecond and
does not wake the parent. The operating system deletes the file when no process has it open. Except on Windows
it has no name, so the worker inherits its descriptor.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO, Any, Final

_NAME_SIZE: Final = 256
_LONGEST_TRACE: Final = 64_000
_HAS_NAME: Final = os.name == "nt"


class CrashLog:
    """The parent's side. If no file can be created, failures lack step and trace."""

    def __init__(self) -> None:
        self._file = _new_file()

    @property
    def inherited(self) -> tuple[int, ...]:
        """The file descriptors that the worker must inherit."""
        return () if _HAS_NAME else (self._file.fileno(),)

    @property
    def address(self) -> str:
        """The worker's argument: the descriptor, or on Windows the file name."""
        return str(self._file.name if _HAS_NAME else self._file.fileno())

    def step(self) -> str:
        """Step that began last; "" for none."""
        return self._read()[:_NAME_SIZE].rstrip(b"\0 ").decode("utf-8", "replace")

    def trace(self) -> str:
        """The stack trace of a process that exceeded a limit, "" if there is none."""
        return self._read()[_NAME_SIZE:].decode("utf-8", "replace").strip("\0")

    def close(self) -> None:
        """Close the file."""
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


class CrashLogWriter:
    """The worker's side."""

    def __init__(self, address: str) -> None:
        self._file = _opened(address) if _HAS_NAME else int(address)

    @property
    def trace_file(self) -> int:
        """The file descriptor, positioned where the stack trace goes."""
        os.lseek(self._file, _NAME_SIZE, os.SEEK_SET)
        return self._file

    def begin(self, step: str) -> None:
        """Record the step that begins."""
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, step.encode()[:_NAME_SIZE].ljust(_NAME_SIZE))
        os.lseek(self._file, _NAME_SIZE, os.SEEK_SET)


def _opened(name: str) -> int:
    """Open the file by name. Windows requires the flag that deletes it at the end."""
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0)
    try:
        return os.open(name, flags | getattr(os, "O_TEMPORARY", 0))
    except OSError:
        return os.open(os.devnull, flags)
