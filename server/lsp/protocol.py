"""pygls' protocol with two things changed: documents are kept by nirls alone, and answers go out as they are.

pygls keeps a copy of every document and rebuilds the whole text at each change, and it converts every
answer attribute by attribute. On a log of 100,000 lines both cost more than all that nirls does at a
keystroke.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import json
import logging
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCMessage

from nirls.server.lsp.front_desk import Met
from nirls.server.lsp.plain_json import Encoded, value_at

logger = logging.getLogger(__name__)

ObjectT = TypeVar("ObjectT")


Steps = Generator[Any, Any, None]


_WITH_VERSIONS = frozenset((types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE))


def _with_version(data: dict[str, Any]) -> dict[str, Any]:
    """A message about a text, with a version. Clients without versions leave it out or say null.

    The rest of the message must not be lost: after a lost change, nothing that is said of the text is true.
    """
    document = value_at(data, "params", "textDocument")
    if not isinstance(document, dict) or isinstance(document.get("version"), int):
        return data
    return {**data, "params": {**data["params"], "textDocument": {**document, "version": 0}}}


class NirlsProtocol(LanguageServerProtocol):
    """The protocol object of the server. `answered` is the request that was answered before it was made."""

    answered = Met()

    @property
    def is_shut_down(self) -> bool:
        """Whether the client has said `shutdown`."""
        return bool(self._shutdown)

    def handle_message(self, message: RPCMessage) -> None:
        """Hand a message to its handler."""
        if isinstance(message, types.DidChangeTextDocumentNotification) and not self._shutdown:
            # pygls asks what a message is by looking for all members of three protocols in it. That takes
            # a sixth of a keystroke.
            contextvars.copy_context().run(self._handle_notification, message.method, message.params)
            return
        super().handle_message(message)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message of the client as an object. A request that cannot be one is answered with an error."""
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
        # pygls keeps the futures of notifications for ever, some kilobytes for each key that is pressed.
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(functools.partial(self._forget, msg_id))

    def _forget(self, msg_id: str | int, future: Any) -> None:
        # What is cancelled at the end is cancelled in a loop over all of them.
        if not future.cancelled():
            self._request_futures.pop(msg_id, None)

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        """Send what a handler answered. That it refuses a request is no error of the server's."""
        refusal = None if future.cancelled() else future.exception()
        if isinstance(refusal, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
            return
        super()._send_handler_result(future, msg_id=msg_id)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Steps:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Steps:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Steps:
        yield from self._only_our_handler(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _only_our_handler(self, method: str, params: object) -> Steps:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    def _send_response(
        self, msg_id: str | int, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None:
            super()._send_response(msg_id, result, error)
            return
        self._result_types.pop(msg_id, None)
        if self.answered.answer is not None and msg_id == self.answered.id:
            self._compare_answers(self.plain(result), self.answered.answer)
            self.answered = Met()
            return
        if isinstance(result, Encoded):
            self._send_body(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result}}}')
            return
        # What is plain already is written as it is; objects within are converted one by one.
        self._send_data({"jsonrpc": JsonRPCProtocol.VERSION, "id": msg_id, "result": result})

    def _compare_answers(self, own: dict[str, Any], given: dict[str, Any]) -> None:
        if json.loads(json.dumps(own, default=self._serialize_message)) != given:
            logger.error("the client was told of other abilities than the server has")

    def notify_plain(self, method: str, params: dict[str, object]) -> None:
        """Send a notification whose parameters are plain JSON values already."""
        self._send_data({"jsonrpc": JsonRPCProtocol.VERSION, "method": method, "params": params})

    def notify_encoded(self, method: str, params: Encoded) -> None:
        """Send a notification whose parameters are JSON text already."""
        self._send_body(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def _send_body(self, body: str) -> None:
        if self.writer is None:
            return
        data = body.encode(self.CHARSET)
        header = f"Content-Length: {len(data)}\r\n\r\n".encode() if self._include_headers else b""
        written = self.writer.write(header + data)
        if inspect.isawaitable(written):
            self._writing = asyncio.ensure_future(written)

    def plain(self, message: object) -> dict[str, Any]:
        """An lsprotocol object as plain JSON values."""
        plain: dict[str, Any] = self._converter.unstructure(message)
        return plain

    def structured(self, value: object, class_: type[ObjectT]) -> ObjectT:
        """Plain JSON values as an lsprotocol object: what pygls takes for requests of the server's own."""
        made: ObjectT = self._converter.structure(value, class_)
        return made
