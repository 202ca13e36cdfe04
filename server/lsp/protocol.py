"""The pygls protocol without its document store.

pygls keeps its own copy of each document and rebuilds the whole text for each change. In a log of 100,000
lines, that takes longer than all other work for a keystroke.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Generator, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, lsp_method

from nirls.server.engine.base.timing import Steps

ObjectT = TypeVar("ObjectT")


HandlerCalls = Generator[Any, Any, None]


UNKNOWN_VERSION = -1
"""Version of a document whose own is no LSP integer; edits of it have none."""

_WITH_VERSIONS = frozenset((types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE))


def _with_version(data: dict[str, Any]) -> dict[str, Any]:
    """Set a document version that is missing or null to 0, and one above 31 bits to `UNKNOWN_VERSION`.

    lsprotocol would reject the message. A rejected change would be lost, and every later position would be
    wrong.
    """
    params: Any = data.get("params")
    document = params.get("textDocument") if isinstance(params, dict) else None
    if not isinstance(document, dict) or _is_version(document.get("version")):
        return data
    version = UNKNOWN_VERSION if isinstance(document.get("version"), int) else 0
    return {**data, "params": {**params, "textDocument": {**document, "version": version}}}


def _is_version(value: object) -> bool:
    return isinstance(value, int) and abs(value) < 1 << 31


class Encoded(str):
    """A result that is JSON text already."""


class NirlsProtocol(LanguageServerProtocol):
    """The protocol object of the server."""

    is_initialized = False

    @property
    def is_shut_down(self) -> bool:
        """Whether the client has sent `shutdown`."""
        return bool(self._shutdown)

    def handle_message(self, message: Any) -> None:
        """Handle a message, unless the lifecycle of the protocol forbids it.

        Requests before `initialize`, a second `initialize`, and requests after `shutdown` are answered with
        an error; such notifications are dropped. JSON that is no message is answered too.
        """
        if not hasattr(message, "jsonrpc"):
            self._refuse_unknown(JsonRpcInvalidRequest("a message is an object with `jsonrpc`"))
            return
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        refusal = None if method is None or method == types.EXIT else self._refusal(method)
        if refusal is None:
            super().handle_message(message)
        elif number is not None:
            self._send_response(number, error=refusal.to_response_error())

    def _refusal(self, method: str) -> JsonRpcException | None:
        if self._shutdown:
            return JsonRpcInvalidRequest(f"{method} after shutdown")
        if method == types.INITIALIZE:
            if self.is_initialized:
                return JsonRpcInvalidRequest("initialize was already sent")
            self.is_initialized = True
            return None
        return None if self.is_initialized else JsonRpcServerNotInitialized(f"{method} before initialize")

    def refuse_unreadable(self, error: Exception) -> None:
        """Answer a message that could not be read."""
        self._refuse_unknown(JsonRpcParseError(f"{type(error).__name__}: {error}"))

    def _refuse_unknown(self, refusal: JsonRpcException) -> None:
        """Answer a message whose id is not known."""
        error = refusal.to_response_error()
        self._send_data(self.plain(types.ResponseErrorMessage(error=error, jsonrpc=JsonRPCProtocol.VERSION)))

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Convert a client message to an lsprotocol object; answer an invalid request with an error."""
        if data.get("method") in _WITH_VERSIONS:
            data = _with_version(data)
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def _execute_handler(self, msg_id: str | int, *arguments: Any, **named: Any) -> None:
        super()._execute_handler(msg_id, *arguments, **named)
        # pygls never drops the futures of notifications: a leak of some kilobytes per keystroke.
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(functools.partial(self._forget, msg_id))

    def _forget(self, msg_id: str | int, future: Any) -> None:
        # At shutdown pygls cancels futures while it iterates over this dict.
        if not future.cancelled():
            self._request_futures.pop(msg_id, None)

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        """Send the result of a handler. A refused request is answered, not logged as a server error."""
        refusal = None if future.cancelled() else future.exception()
        if isinstance(refusal, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
            return
        super()._send_handler_result(future, msg_id=msg_id)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> HandlerCalls:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> HandlerCalls:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> HandlerCalls:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _only_our_handler(self, method: str, params: object) -> HandlerCalls:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    def _send_response(
        self, msg_id: str | int, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if isinstance(result, Encoded):
            self._send_body(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result}}}')
            return
        super()._send_response(msg_id, result, error)

    def encoded_list(self, items: Iterable[object]) -> Steps[Encoded]:
        """Convert lsprotocol objects to JSON, one in each step."""
        parts = []
        for item in items:
            parts.append(json.dumps(self.plain(item)))
            yield
        return Encoded(f"[{','.join(parts)}]")

    def notify_plain(self, method: str, params: dict[str, object]) -> None:
        """Send a notification whose parameters are plain JSON values."""
        self._send_data({"jsonrpc": JsonRPCProtocol.VERSION, "method": method, "params": params})

    def notify_encoded(self, method: str, params: Encoded) -> None:
        """Send a notification whose parameters are JSON text."""
        self._send_body(f'{{"jsonrpc":"2.0","method":{json.dumps(method)},"params":{params}}}')

    def _send_body(self, body: str) -> None:
        if self.writer is None:
            return
        data = body.encode(self.CHARSET)
        self.writer.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)

    def plain(self, message: object) -> dict[str, Any]:
        """Convert an lsprotocol object to plain JSON values."""
        plain: dict[str, Any] = self._converter.unstructure(message)
        return plain

    def structured(self, value: object, class_: type[ObjectT]) -> ObjectT:
        """Convert plain JSON values to an lsprotocol object, as pygls requires for requests to the client."""
        made: ObjectT = self._converter.structure(value, class_)
        return made
