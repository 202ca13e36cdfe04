"""A file that a worker process writes as it goes, read by its parent when the process is gone.

It holds the name of the step at work, and where in the code the process was when a limit ended it. Writing
a name costs a microsecond; telling the parent each time would wake it up each time.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_NAME_SIZE: Final = 256
_LONGEST_TRACE: Final = 64_000


_NOWHERE: Final = Path(os.devnull)


class BlackBox:
    """The file as the parent has it. Where none can be made, a process that ends says less."""

    def __init__(self) -> None:
        self.path = _new_file()

    def step(self) -> str:
        """The step that was begun last, "" for none."""
        return self._read()[:_NAME_SIZE].rstrip(b"\0 ").decode("utf-8", "replace")

    def trace(self) -> str:
        """Where the process was when it was ended, "" if it could not say."""
        return self._read()[_NAME_SIZE:].decode("utf-8", "replace").strip("\0")

    def clear(self) -> None:
        """Forget what an earlier process wrote. Somebody may have deleted the file meanwhile."""
        try:
            with self.path.open("r+b") as file:
                file.truncate()
        except OSError:
            self.path = _new_file()

    def remove(self) -> None:
        """Delete the file."""
        if self.path != _NOWHERE:
            with suppress(OSError):
                self.path.unlink()

    def _read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                return file.read(_NAME_SIZE + _LONGEST_TRACE)
        except OSError:
            return b""


def _new_file() -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix="nirls-worker-")
    except OSError:
        return _NOWHERE
    os.close(handle)
    return Path(name)


class Recorder:
    """The file as the worker has it."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags)
        except OSError:  # it was deleted just now
            self._file = os.open(_NOWHERE, flags)

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
