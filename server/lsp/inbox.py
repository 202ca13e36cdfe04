"""What the client says: a thread reads it as it comes, and holds it until somebody takes it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 1 << 16


class Inbox:
    """A file descriptor that is read, behind what was read of it before."""

    def __init__(self, source: int, read: bytes = b"") -> None:
        self._source = source
        self._held = bytearray(read)
        self._is_over = False
        self._take: Callable[[bytes], object] | None = None
        self._news = threading.Condition()
        threading.Thread(target=self._read, name="nirls-stdin", daemon=True).start()

    def held(self, size: int = 0, seconds: float = 0.0) -> bytes:
        """What has come so far; waits for it to be that much, but not for longer than some seconds."""
        with self._news:
            self._news.wait_for(lambda: self._is_over or len(self._held) >= size, seconds)
            return bytes(self._held)

    def drop(self, start: int, end: int) -> None:
        """Forget bytes [start, end) of what is held."""
        with self._news:
            del self._held[start:end]

    def forward(self, take: Callable[[bytes], object]) -> None:
        """Hand over all that is held, and from now on what comes as it comes; b"" is the end.

        `take` is called by the thread that reads. A RuntimeError of it ends that.
        """
        with self._news:
            self._take = take
            if self._held:
                take(bytes(self._held))
            self._held.clear()
            if self._is_over:
                take(b"")

    def _read(self) -> None:
        try:
            while data := os.read(self._source, _CHUNK):
                self._deliver(data)
            self._deliver(b"")
        except (OSError, RuntimeError):
            # The client said exit: nobody takes anything any more.
            return

    def _deliver(self, data: bytes) -> None:
        with self._news:
            if self._take is not None:
                self._take(data)
                return
            self._held += data
            self._is_over = not data
            self._news.notify_all()
