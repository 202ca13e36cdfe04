"""Where log records go: standard error, and exceptions as messages in the editor too.

A thread writes to standard error: a client that does not read it blocks no message.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import time
from contextlib import suppress
from functools import partial
from logging.handlers import QueueHandler, QueueListener
from typing import Final, TextIO

from lsprotocol import types

from nirls.server.lsp.nirls_server import NirlsServer

Records = queue.Queue[logging.LogRecord]

_MOST_WAITING: Final = 1000
"""Records that wait to be written; further ones are dropped."""
_LOGGERS = ("nirls", "asyncio")
_MOST_MESSAGES = 5


class _DroppingHandler(QueueHandler):
    """Takes records as long as there is room for them."""

    def enqueue(self, record: logging.LogRecord) -> None:
        with suppress(queue.Full):
            self.queue.put_nowait(record)


def wait_until_written(records: Records, seconds: float = 0.5) -> None:
    """Wait for the log to be written before the process ends, but not for a client that does not read it."""
    deadline = time.monotonic() + seconds
    while not records.empty() and time.monotonic() < deadline:
        time.sleep(0.005)


def log_to(stream: TextIO) -> Records:
    """Write the records of all loggers to a stream from now on; return those that wait."""
    writer = logging.StreamHandler(stream)
    writer.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    records: Records = queue.Queue(_MOST_WAITING)
    logging.getLogger().addHandler(_DroppingHandler(records))
    QueueListener(records, writer).start()  # its thread is a daemon: it does not keep the process alive
    return records


class ErrorMessages(logging.Handler):
    """Shows each different exception that is logged once, and at most five in all; the log has the rest.

    Records may come from any thread.
    """

    def __init__(self, server: NirlsServer) -> None:
        super().__init__(logging.ERROR)
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        text = f"{record.getMessage()}: {type(error).__name__}: {error}"
        if text in self._shown or len(self._shown) >= _MOST_MESSAGES:
            return
        self._shown.add(text)
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._show, text)

    def _show(self, text: str) -> None:
        self._server.say(f"nirls: {text[:300]} (the log has the details)", types.MessageType.Error)


def show_errors(server: NirlsServer) -> None:
    """Show exceptions logged from now on, until the server shuts down."""
    messages = ErrorMessages(server)
    for name in _LOGGERS:
        logging.getLogger(name).addHandler(messages)
        server.at_shutdown.append(partial(logging.getLogger(name).removeHandler, messages))
