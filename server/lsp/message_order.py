"""The order in which messages are handled while long ones are decoded and prepared in threads.

A log of tens of megabytes takes a second to divide into dumps, and no request about another document waits
for that. Everything else stays in the order in which it arrived.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

from lsprotocol import types

from nirls.server.lsp.nirls_server import NirlsServer

# Not shown to the user: what the server reports is.
_log = logging.getLogger("pygls")

LONG: Final = 100_000
"""Bytes of a message above which it is decoded and prepared in a thread: about 5 ms."""


class MessageOrder:
    """Handles each message after those before it that it may depend on.

    Those are the unhandled ones about the same document, and about none or any, such as changed settings. A
    message that names no document depends on all.
    """

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._protocol = server.protocol
        self._unhandled: dict[asyncio.Task[None], str | None] = {}

    async def take(self, body: bytes) -> None:
        """Decode a message and handle it now, or see to it that it is handled in its turn.

        That of a second long message is waited for, so that a client cannot fill the memory with texts.
        """
        is_long = len(body) > LONG
        try:
            decoded = self._protocol.decoded
            message = await asyncio.to_thread(decoded, body) if is_long else decoded(body)
        except Exception as error:
            self._report(error)
            return
        uri = _document_of(message)
        before = [task for task, other in self._unhandled.items() if _may_depend(uri, other)]
        if getattr(message, "method", None) == types.CANCEL_REQUEST:
            before = []
        if not before and not is_long:
            await self._handle(message)
            return
        if is_long and before:
            await asyncio.wait(before)
        task = asyncio.create_task(self._handle_in_turn(message, before, is_long=is_long))
        self._unhandled[task] = uri
        task.add_done_callback(self._unhandled.pop)

    async def all_handled(self) -> None:
        """Wait until all messages are handled."""
        while self._unhandled:
            await asyncio.wait(self._unhandled)

    async def _handle_in_turn(self, message: Any, before: list[asyncio.Task[None]], *, is_long: bool) -> None:
        if before:
            await asyncio.wait(before)
        await self._handle(message, is_long=is_long)

    async def _handle(self, message: Any, *, is_long: bool = False) -> None:
        try:
            if is_long:
                await asyncio.to_thread(self._protocol.prepare, message)
            else:
                self._protocol.prepare(message)
            self._protocol.handle_message(message)
        except Exception as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        _log.exception("cannot handle a message")
        self._server.report_server_error(error, None)


def _document_of(message: Any) -> str | None:
    """The URI of the document that a message is about; None if it is not about one."""
    params = getattr(message, "params", None)
    # The parameters of nirls' own requests are plain objects.
    item = getattr(params, "text_document", None) or getattr(params, "textDocument", None)
    uri = getattr(item, "uri", None)
    return uri if isinstance(uri, str) else None


def _may_depend(uri: str | None, other: str | None) -> bool:
    return uri is None or other is None or uri == other
