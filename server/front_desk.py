"""Meets the client: reads its first message and answers it at once if it is `initialize`.

Nothing is imported here that an interpreter does not have at hand, see `nirls.server.initialize_answer`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from nirls.server.initialize_answer import answer_to

_CHUNK: Final = 1 << 16
_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Met:
    """What was read of the client, for the server to read again, and what was answered to which request."""

    read: bytes = b""
    id: int | str | None = None
    answer: dict[str, Any] | None = None


def meet(source: int, sink: int) -> Met:
    """Read the first message from a file descriptor, and maybe answer it on another."""
    read, body = _first_message(lambda: os.read(source, _CHUNK))
    try:
        message = json.loads(body)
    except ValueError:
        return Met(read)
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return Met(read)
    number, answer = message.get("id"), answer_to(message.get("params"))
    if answer is None or not isinstance(number, int | str):
        return Met(read)
    _send(sink, {"jsonrpc": "2.0", "id": number, "result": answer})
    return Met(read, number, answer)


def _first_message(more: Callable[[], bytes]) -> tuple[bytes, bytes]:
    """All that was read until the first message was complete, and its body; b"" for one that never is."""
    read = b""
    while (end := read.find(b"\r\n\r\n")) < 0:
        data = more()
        read += data
        if not data or len(read) > _CHUNK:
            return read, b""
    length = _LENGTH.search(read, 0, end + 2)
    if length is None:
        return read, b""
    start, size = end + 4, int(length[1])
    while len(read) < start + size:
        data = more()
        read += data
        if not data:
            return read, b""
    return read, read[start : start + size]


def _send(sink: int, message: dict[str, Any]) -> None:
    body = json.dumps(message, separators=(",", ":")).encode()
    data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    while data:
        data = data[os.write(sink, data) :]
