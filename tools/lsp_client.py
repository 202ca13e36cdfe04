"""A synchronous language client on standard input and output, to drive `nirls serve` from scripts.

pygls frames the messages and matches responses with requests; parameters and results are plain JSON.
"""

from __future__ import annotations

import subprocess
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, TypeVar

from cattrs import Converter
from lsprotocol import converters
from lsprotocol.types import Position, Range, TextDocumentContentChangePartial
from pygls.client import JsonRPCClient
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter, run
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCProtocol,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)
from pygls.workspace import TextDocument

Message = dict[str, Any]
T = TypeVar("T")


class RefusedError(RuntimeError):
    """An error as the response to a request."""


class LspClient:
    """A running server, and what it has published. One request at a time.

    What the server logs goes to the terminal, unless it `is_quiet`.
    """

    def __init__(self, command: Sequence[str], folder: Path, *, is_quiet: bool = False) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if is_quiet else None,
            cwd=folder,
        )
        self.folder = folder
        self.diagnostics: dict[str, list[Message]] = {}
        self.shown: list[str] = []
        self.progress: list[Message] = []
        self._awaited: dict[str, list[Any]] = {}
        self._pending: set[Future[Any]] = set()
        self._changed = threading.Condition()
        self._has_ended = False
        self._protocol = JsonRPCClient(lambda *arguments: _Protocol(self, *arguments), _converter).protocol  # type: ignore[arg-type]
        assert self.process.stdin is not None
        self._protocol.set_writer(StdoutWriter(self.process.stdin))  # type: ignore[arg-type]
        threading.Thread(target=self._read, daemon=True).start()

    def start(self, capabilities: Message | None = None) -> Message:
        """Do the handshake; returns the server's capabilities."""
        result = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self.folder.as_uri(),
                "workspaceFolders": [{"uri": self.folder.as_uri(), "name": self.folder.name}],
                "capabilities": _CAPABILITIES if capabilities is None else capabilities,
            },
        )
        self.notify("initialized", {})
        capabilities_of_server: Message = result["capabilities"]
        return capabilities_of_server

    def stop(self) -> int:
        """Shut the server down; returns its exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, however far its work is."""
        self.process.kill()
        self.process.wait()

    def open(self, path: Path, text: str) -> str:
        """Open a document; returns its URI."""
        uri = path.as_uri()
        item = {"uri": uri, "languageId": "nir", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def request(self, method: str, params: object, timeout: float = 120) -> Any:
        """Send a request and wait for its result. Raises RefusedError, or RuntimeError without one."""
        answer = self._protocol.send_request(method, params)
        with self._changed:
            if self._has_ended:
                raise RuntimeError(f"the server ended: {method}")
            self._pending.add(answer)
        try:
            return answer.result(timeout)
        except JsonRpcException as error:
            refusal = {"code": error.code, "message": error.message, "data": error.data}
            raise RefusedError(f"{method}: {refusal}") from None
        except TimeoutError:
            raise RuntimeError(f"no answer within {timeout:g} s: {method}") from None
        finally:
            self._pending.discard(answer)

    def ask(self, method: str, params: object) -> str:
        """Send a request without waiting for its response; returns its id."""
        number = str(uuid.uuid4())
        self._protocol.send_request(method, params, msg_id=number)
        return number

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._protocol.notify(method, params)

    def send(self, message: Message) -> None:
        """Send a message as it is, be it valid or not."""
        self._protocol._send_data({"jsonrpc": "2.0", **message})

    def wait_for_diagnostics(
        self, uri: str, wanted: Callable[[list[Message]], bool], timeout: float = 120
    ) -> list[Message]:
        """The diagnostics of a document as soon as they are as wanted. Raises RuntimeError."""
        self._until(lambda: wanted(self.diagnostics.get(uri, [])), timeout, "diagnostics")
        return self.diagnostics[uri]

    def wait_until_told(self, uri: str, timeout: float = 120) -> None:
        """Wait for the first diagnostics of a document, even if there are none in it. Raises RuntimeError."""
        self._until(lambda: uri in self.diagnostics, timeout, "diagnostics")

    def wait_for_notification(self, method: str, cause: Callable[[], None], timeout: float = 120) -> Any:
        """Do what causes a notification and wait for it; returns its parameters. Raises RuntimeError."""
        found = self._awaited[method] = []
        cause()
        self._until(lambda: bool(found), timeout, method)
        del self._awaited[method]
        return found[0]

    def respond(self, method: str, params: Any) -> Any:
        """The result of a request of the server."""
        return [None] * len(params["items"]) if method == "workspace/configuration" else None

    def _until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: done() or self._has_ended, timeout):
                raise RuntimeError(f"no answer within {timeout:g} s: {what}")
            if not done():
                raise RuntimeError(f"the server ended: {what}")

    def _read(self) -> None:
        assert self.process.stdout is not None
        run(threading.Event(), self.process.stdout, self._protocol)
        with self._changed:
            self._has_ended = True
            for answer in list(self._pending):
                if not answer.done():
                    answer.set_exception(RuntimeError("the server ended"))
            self._changed.notify_all()

    def _handle_notification(self, method: str, params: Any) -> None:
        with self._changed:
            if method == "textDocument/publishDiagnostics":
                self.diagnostics[params["uri"]] = params["diagnostics"]
            elif method == "window/showMessage":
                self.shown.append(params["message"])
            elif method == "$/progress":
                self.progress.append(params)
            if method in self._awaited:
                self._awaited[method].append(params)
            self._changed.notify_all()


class _Protocol(JsonRPCProtocol):
    """Passes requests and notifications of the server to the client, whatever their methods are."""

    def __init__(self, client: LspClient, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._client = client

    def _handle_notification(self, method_name: str, params: Any) -> None:
        self._client._handle_notification(method_name, params)

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        self._send_response(msg_id, self._client.respond(method_name, params))


def _converter() -> Converter:
    """Leave parameters and results as JSON."""

    def plain(message: Message, class_: type[T]) -> T:
        absent = {"result": None} if class_ is JsonRPCResponseMessage else {"params": None}
        return class_(**(absent | message))

    converter = converters.get_converter()
    for class_ in (JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage):
        converter.register_structure_hook(class_, plain)
    return converter


def apply_text_edits(text: str, edits: Sequence[Message]) -> str:
    """A text after LSP text edits; positions count UTF-16 code units."""
    document = TextDocument("", text)
    for change in content_changes(edits):
        range_ = Range(*(Position(**change["range"][end]) for end in ("start", "end")))
        document.apply_change(TextDocumentContentChangePartial(text=change["text"], range=range_))
    return document.source


def content_changes(edits: Sequence[Message]) -> list[Message]:
    """Text edits as changes of `didChange`, each for the text after the ones before it."""

    def start(edit: Message) -> tuple[int, int]:
        return edit["range"]["start"]["line"], edit["range"]["start"]["character"]

    return [{"range": edit["range"], "text": edit["newText"]} for edit in sorted(edits, key=start)[::-1]]


def edits_of(workspace_edit: Message, uri: str) -> list[Message]:
    """The text edits that a workspace edit has for one document, in either of LSP's forms."""
    found: list[Message] = list((workspace_edit.get("changes") or {}).get(uri, []))
    for change in workspace_edit.get("documentChanges") or []:
        if change.get("textDocument", {}).get("uri") == uri:
            found += change["edits"]
    return found


_CAPABILITIES: Message = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
    },
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}
