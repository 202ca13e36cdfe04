"""A file that a worker process writes as it goes, read by its parent when the process is gone.

It holds the name of the step at work, and where in the code the process was when a limit ended it. Writing
a name costs a microsecond; telling the parent each time would wake it up each time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_NAME_SIZE: Final = 256
_LONGEST_TRACE: Final = 64_000


class BlackBox:
    """The file as the parent has it."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="nirls-worker-")
        os.close(handle)
        self.path = Path(name)

    def step(self) -> str:
        """The step that was begun last, "" for none."""
        return self._read()[:_NAME_SIZE].rstrip(b"\0 ").decode("utf-8", "replace")

    def trace(self) -> str:
        """Where the process was when it was ended, "" if it could not say."""
        return self._read()[_NAME_SIZE:].decode("utf-8", "replace").strip("\0")

    def clear(self) -> None:
        """Forget what an earlier process wrote."""
        self.path.write_bytes(b"")

    def remove(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                return file.read(_NAME_SIZE + _LONGEST_TRACE)
        except OSError:
            return b""


class Recorder:
    """The file as the worker has it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))

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
