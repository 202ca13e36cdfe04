"""Exceptions in the server as messages in the editor."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial

from lsprotocol import types

from nirls.server.lsp.nirls_server import NirlsServer

_LOGGERS = ("nirls", "asyncio")
_MOST_MESSAGES = 5


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
