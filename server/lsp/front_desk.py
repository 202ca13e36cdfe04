"""Meets the client: reads its first message and answers it at once if it is `initialize`.

Nothing is imported here that an interpreter does not have at hand, see `nirls.server.lsp.initialize_answer`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from nirls.server.lsp.frames import NoFrameError, frame_at, send
from nirls.server.lsp.initialize_answer import answer_to

_CHUNK: Final = 1 << 16


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
    message = {"jsonrpc": "2.0", "id": number, "result": answer}
    send(sink, json.dumps(message, separators=(",", ":")).encode())
    return Met(read, number, answer)


def _first_message(more: Callable[[], bytes]) -> tuple[bytes, bytes]:
    """All that was read until the first message was complete, and its body; b"" for one that never is."""
    read = b""
    try:
        while (frame := frame_at(read, 0)) is None or len(read) < frame.end:
            data = more()
            read += data
            if not data:
                return read, b""
    except NoFrameError:
        return read, b""
    return read, read[frame.body : frame.end]
