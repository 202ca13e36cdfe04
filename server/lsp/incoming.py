"""Bytes from a client, as they come, cut into messages."""

from __future__ import annotations

import logging
from collections.abc import Callable

from nirls.server.lsp.frames import NoFrameError, frame_at

_log = logging.getLogger(__name__)

_HEADER_END = b"\r\n\r\n"


class Incoming:
    """Hands over the body of each message as soon as it is complete. What is no message is skipped."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Bytes that follow those before."""
        self._data += data
        start = 0
        try:
            while (end := self._end_of_message(start)) is not None:
                start = end
        finally:
            # What is taken may end the process with an exception.
            del self._data[:start]

    def _end_of_message(self, start: int) -> int | None:
        """Take the message that begins at an offset; where it ends, None if it is not complete."""
        try:
            frame = frame_at(self._data, start)
        except NoFrameError:
            _log.error("the client sent what is no message")
            end = self._data.find(_HEADER_END, start)
            return len(self._data) if end < 0 else end + len(_HEADER_END)
        if frame is None or len(self._data) < frame.end:
            return None
        self._take(bytes(self._data[frame.body : frame.end]))
        return frame.end
