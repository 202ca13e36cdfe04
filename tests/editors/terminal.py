"""A terminal without a window: keys go in, the screen can be read."""

from __future__ import annotations

import time
from pathlib import Path

import pexpect
import pyte

COLUMNS, LINES = 180, 60


class Terminal:
    """A program that draws on a terminal of 60 lines by 180 columns."""

    def __init__(
        self, program: Path, arguments: list[str], folder: Path, environment: dict[str, str]
    ) -> None:
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._process = pexpect.spawn(
            str(program), arguments, cwd=str(folder), env=environment, dimensions=(LINES, COLUMNS)
        )

    @property
    def text(self) -> str:
        """What is on the screen now."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def type(self, keys: str) -> None:
        self._process.send(keys)

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Wait until `text` is on the screen. Raises AssertionError with the screen if it does not come."""
        end = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < end, f"{text!r} did not appear:\n{self.text}"
            self._read()

    def wait_until_gone(self, text: str) -> None:
        """Wait until `text` is no longer on the screen."""
        end = time.monotonic() + 60
        while text in self.text:
            assert time.monotonic() < end, f"{text!r} does not go away:\n{self.text}"
            self._read()

    def wait_for_end(self) -> None:
        """Read until the program has ended."""
        end = time.monotonic() + 60
        while self._read():
            assert time.monotonic() < end, f"the program does not end:\n{self.text}"
        self._process.close()

    def close(self) -> None:
        self._process.close(force=True)

    def _read(self) -> bool:
        try:
            self._stream.feed(self._process.read_nonblocking(65536, timeout=0.2))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        return True
