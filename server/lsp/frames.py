"""Messages as they go over the wire: each behind a header that has its length.

pygls does the same for the server; this is for what is said before pygls is imported.
"""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_LONGEST_HEADER: Final = 1 << 16


class Frame(NamedTuple):
    """Where a message is: its header begins at `start`, its body is [body, end); that may be yet to come."""

    start: int
    body: int
    end: int


class NoFrameError(ValueError):
    """The bytes are no message."""


def frame_at(data: bytes | bytearray, start: int) -> Frame | None:
    """The message that begins at an offset, None while its header is incomplete. Raises NoFrameError."""
    end = data.find(b"\r\n\r\n", start)
    if end < 0:
        if len(data) - start > _LONGEST_HEADER:
            raise NoFrameError("a header without an end")
        return None
    length = _LENGTH.search(data[start : end + 2])
    if length is None:
        raise NoFrameError("a header without a length")
    return Frame(start, end + 4, end + 4 + int(length[1]))


def send(sink: int, body: bytes) -> None:
    """Write a message to a file descriptor. Raises OSError."""
    data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    while data:
        data = data[os.write(sink, data) :]
