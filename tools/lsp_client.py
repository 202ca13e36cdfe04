"""A small language client on standard input and output, to drive `nirls serve` from scripts."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Message = dict[str, Any]


class LspClient:
    """A running server and what it has said. Not for editors: one request at a time.

    What the server logs goes to the terminal, unless it `is_quiet`.
    """

    def __init__(self, command: Sequence[str], folder: Path, *, is_quiet: bool = False) -> None:
        errors = subprocess.DEVNULL if is_quiet else None
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=folder
        )
        self.folder = folder
        self.diagnostics: dict[str, list[Message]] = {}
        self.shown: list[str] = []
        self.progress: list[Message] = []
        self._incoming: queue.Queue[Message | None] = queue.Queue()
        self._next_id = 0
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

    def open(self, path: Path, text: str) -> str:
        """Open a document; returns its URI."""
        uri = path.as_uri()
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "nir", "version": 1, "text": text}},
        )
        return uri

    def request(self, method: str, params: object, timeout: float = 120) -> Any:
        """Send a request and wait for its result. Raises RuntimeError for an error or silence."""
        number = self.ask(method, params)
        answers: list[Message] = []

        def answered(message: Message) -> bool:
            if message.get("id") == number and "method" not in message:
                answers.append(message)
            return bool(answers)

        self._until(answered, timeout, method)
        if "error" in answers[0]:
            raise RuntimeError(f"{method}: {answers[0]['error']}")
        return answers[0].get("result")

    def ask(self, method: str, params: object) -> int:
        """Send a request whose answer nobody waits for; returns its number."""
        self._next_id += 1
        self._send({"id": self._next_id, "method": method, "params": params})
        return self._next_id

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.write(self.framed({"method": method, "params": params}))

    def wait_for_diagnostics(
        self, uri: str, wanted: Callable[[list[Message]], bool], timeout: float = 120
    ) -> list[Message]:
        """The diagnostics of a document as soon as they are as wanted. Raises RuntimeError."""
        if not wanted(self.diagnostics.get(uri, [])):
            self._until(lambda _: wanted(self.diagnostics.get(uri, [])), timeout, "diagnostics")
        return self.diagnostics[uri]

    def wait_until_told(self, uri: str, timeout: float = 120) -> None:
        """Wait for the first diagnostics of a document, be they none. Raises RuntimeError."""
        if uri not in self.diagnostics:
            self._until(lambda _: uri in self.diagnostics, timeout, "diagnostics")

    def wait_for_notification(self, method: str, cause: Callable[[], None], timeout: float = 120) -> Any:
        """Do what causes a notification and wait for it; returns its parameters. Raises RuntimeError."""
        cause()
        found: list[Any] = []

        def arrived(message: Message) -> bool:
            if message.get("method") == method:
                found.append(message.get("params"))
            return bool(found)

        self._until(arrived, timeout, method)
        return found[0]

    def _until(self, done: Callable[[Message], bool], timeout: float, what: str) -> None:
        end = time.monotonic() + timeout
        while True:
            try:
                message = self._incoming.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise RuntimeError(f"no answer within {timeout:g} s: {what}") from None
            if message is None:
                self._incoming.put(None)  # whoever waits next has nothing to wait for either
                raise RuntimeError(f"the server ended: {what}")
            self._handle(message)
            if done(message):
                return

    def _handle(self, message: Message) -> None:
        method = message.get("method")
        params = message.get("params") or {}
        if method == "textDocument/publishDiagnostics":
            self.diagnostics[params["uri"]] = params["diagnostics"]
        elif method == "window/showMessage":
            self.shown.append(params["message"])
        elif method == "$/progress":
            self.progress.append(params)
        elif method is not None and "id" in message:
            items = params.get("items", []) if isinstance(params, dict) else []
            answer = [None] * len(items) if method == "workspace/configuration" else None
            self._send({"id": message["id"], "result": answer})

    @staticmethod
    def framed(message: Message) -> bytes:
        """A message as it goes over the wire."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def write(self, data: bytes) -> None:
        """Send what `framed` made."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _send(self, message: Message) -> None:
        self.write(self.framed(message))

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = stream.readline()
            self._incoming.put(json.loads(stream.read(length)))
        self._incoming.put(None)


def apply_text_edits(text: str, edits: Sequence[Message]) -> str:
    """A text after LSP text edits; positions count UTF-16 code units."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(position: Message) -> int:
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * position["character"]]
        start: int = starts[min(position["line"], len(lines))]
        return start + len(units.decode("utf-16-le", "replace"))

    placed = sorted(
        (offset(edit["range"]["start"]), offset(edit["range"]["end"]), edit["newText"]) for edit in edits
    )
    parts = []
    position = 0
    for start, end, new_text in placed:
        parts += [text[position:start], new_text]
        position = end
    return "".join(parts) + text[position:]


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
