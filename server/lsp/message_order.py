"""The order in which messages are handled while long ones are decoded and prepared in threads.

A log of tens of megabytes takes a second to divide into dumps, and no request about another document waits
for that. Everything else stays in the order in which it arrived.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Coroutine
from typing import Any, Final

from lsprotocol import types

from nirls.server.lsp.nirls_server import NirlsServer

# Not shown to the user: what the server reports is.
_log = logging.getLogger("pygls")

LONG: Final = 100_000
"""Bytes of a message above which it is decoded and prepared in a thread: about 5 ms."""

_NEAR: Final = 4096
_TEXT_CHANGE: Final = re.compile(rb'"method"\s*:\s*"textDocument/did(?:Open|Change)"')
_URI: Final = re.compile(rb'"uri"\s*:\s*("(?:[^"\\]|\\.)*")')
"""No text looks like these in JSON, which escapes quotation marks."""


class MessageOrder:
    """Handles each message after those before it that it may depend on.

    Those are the unhandled ones about the same document, and about none or any, such as changed settings. A
    message that names no document depends on all.
    """

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._protocol = server.protocol
        self._unhandled: dict[asyncio.Task[None], str | None] = {}
        self._decoding: asyncio.Future[Any] | None = None

    async def take(self, body: bytes) -> None:
        """Decode a message and handle it now, or see to it that it is handled in its turn."""
        if len(body) > LONG:
            await self._take_long(body)
            return
        try:
            message = self._protocol.decoded(body)
        except Exception as error:
            self._report(error)
            return
        uri = _document_of(message)
        before = self._before(uri)
        if not before or getattr(message, "method", None) == types.CANCEL_REQUEST:
            self._handle(message)
        else:
            self._add(uri, self._handle_behind(before, message))

    async def _take_long(self, body: bytes) -> None:
        """Decode a message in a thread, for a task that handles it.

        The one before it is waited for, so that a client cannot fill the memory with texts.
        """
        if self._decoding is not None:
            await asyncio.wait({self._decoding})
        self._decoding = decoding = asyncio.ensure_future(asyncio.to_thread(self._protocol.decoded, body))
        uri = _document_in(body)
        if uri is None:
            await asyncio.wait({decoding})
            uri = None if decoding.exception() else _document_of(decoding.result())
        before = self._before(uri)
        if before:
            await asyncio.wait(before)
        self._add(uri, self._handle_long(decoding))

    async def all_handled(self) -> None:
        """Wait until all messages are handled."""
        while self._unhandled:
            await asyncio.wait(self._unhandled)

    def _before(self, uri: str | None) -> list[asyncio.Task[None]]:
        """The tasks for messages that one about a document may depend on."""
        return [task for task, other in self._unhandled.items() if _may_depend(uri, other)]

    def _add(self, uri: str | None, handling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(handling)
        self._unhandled[task] = uri
        task.add_done_callback(self._unhandled.pop)

    async def _handle_behind(self, before: list[asyncio.Task[None]], message: Any) -> None:
        await asyncio.wait(before)
        self._handle(message)

    async def _handle_long(self, decoding: asyncio.Future[Any]) -> None:
        try:
            message = await decoding
            # A decoded message, and the document that it opens, would be kept until the next long one.
            if self._decoding is decoding:
                self._decoding = None
            await asyncio.to_thread(self._protocol.prepare, message)
            self._protocol.handle_message(message)
        except Exception as error:
            self._report(error)

    def _handle(self, message: Any) -> None:
        try:
            self._protocol.prepare(message)
            self._protocol.handle_message(message)
        except Exception as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        _log.exception("cannot handle a message")
        self._server.report_server_error(error, None)


def _document_in(body: bytes) -> str | None:
    """The URI in a change of a text, before it is decoded; None if it is not near an end of the message."""
    ends = body[:_NEAR], body[-_NEAR:]
    if not any(_TEXT_CHANGE.search(end) for end in ends):
        return None
    found = next((match for end in ends if (match := _URI.search(end))), None)
    try:
        return None if found is None else str(json.loads(found[1]))
    except ValueError:  # what it is in full is found when all of it is decoded
        return None


def _document_of(message: Any) -> str | None:
    """The URI of the document that a message is about; None if it is not about one."""
    params = getattr(message, "params", None)
    # The parameters of nirls' own requests are plain objects.
    item = getattr(params, "text_document", None) or getattr(params, "textDocument", None)
    uri = getattr(item, "uri", None)
    return uri if isinstance(uri, str) else None


def _may_depend(uri: str | None, other: str | None) -> bool:
    return uri is None or other is None or uri == other
