"""What the client says: a thread reads it as it comes, and holds it until somebody takes it over."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 1 << 16

CAN_HAND_OVER: Final = os.name != "nt"
"""Whether a thread can wait for a pipe and for something else at a time."""


class Inbox:
    """A file descriptor that is read, behind what was read of it before."""

    def __init__(self, source: int, read: bytes = b"") -> None:
        self.source = source
        self._held = bytearray(read)
        self._is_over = False
        self._take: Callable[[bytes], object] | None = None
        self._news = threading.Condition()
        self._stopped, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._read, name="nirls-stdin", daemon=True)
        self._thread.start()

    def held(self, size: int = 0, seconds: float = 0.0) -> bytes:
        """What has come so far; waits for it to be that much, but not for longer than some seconds."""
        with self._news:
            self._news.wait_for(lambda: self._is_over or len(self._held) >= size, seconds)
            return bytes(self._held)

    def drop(self, start: int, end: int) -> None:
        """Forget bytes [start, end) of what is held."""
        with self._news:
            del self._held[start:end]

    def hand_over(self) -> bytes:
        """All that is held; from now on somebody else reads `source`. Only where `CAN_HAND_OVER`."""
        os.close(self._stop)
        self._thread.join()
        os.close(self._stopped)
        with self._news:
            held = bytes(self._held)
            self._held.clear()
        return held

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
            while self._is_to_read():
                data = os.read(self.source, _CHUNK)
                self._deliver(data)
                if not data:
                    return
        except (OSError, RuntimeError):
            # The client said exit: nobody takes anything any more.
            return

    def _is_to_read(self) -> bool:
        """Wait until there is something; False once somebody else reads."""
        if not CAN_HAND_OVER:
            return True
        ready, _, _ = select.select([self.source, self._stopped], [], [])
        return self._stopped not in ready

    def _deliver(self, data: bytes) -> None:
        with self._news:
            if self._take is not None:
                self._take(data)
                return
            self._held += data
            self._is_over = not data
            self._news.notify_all()
