"""A server and a client without a wire between them: messages are plain JSON, texts have a marked cursor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import Document, to_bytes
from nirls.server.lsp.client import Client
from nirls.server.lsp.nirls_server import NirlsServer

CURSOR = "$0"
URI = "untitled:a"

Json = dict[str, Any]

EVERYTHING = Client(
    encoding=Encoding.UTF16,
    related_information=True,
    diagnostic_data=True,
    markdown=True,
    code_action_literals=True,
    resolves_edits=True,
    document_changes=True,
    hierarchical_symbols=True,
    snippets=True,
    signature_label_offsets=True,
)


class FailedRequestError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Session:
    """A client of a server, whose passes run in threads.

    `told` has the messages that the server sent by itself, requests of its own included; `replies` what the
    client says to those, by method: a result, or an exception class for an error. `silent` are methods of
    requests that it never answers. `texts` are the documents as the client has them.
    """

    def __init__(self, server: NirlsServer) -> None:
        self.server = server
        self.told: list[Json] = []
        self.replies: dict[str, Any] = {}
        self.silent: set[str] = set()
        self.texts: dict[str, str] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        server.client = EVERYTHING
        server.protocol.set_writer(self)
        # Most tests do without `initialize`, which takes longer than what they test.
        server.protocol.is_initialized = True

    async def start(self, capabilities: Json | None = None) -> None:
        """Initialize the server, as tests of workspace folders and of messages from the server need."""
        self.server.protocol.is_initialized = False
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        await self.ask("initialize", params)
        if capabilities is None:
            self.server.client = EVERYTHING
        self.told.clear()

    # Documents

    def place(self, text: str, uri: str = URI, version: int = 1) -> Json:
        """Take a text into the server, unchecked; the position of the `$0` in it, of its end without one."""
        before, _, after = text.partition(CURSOR)
        self.texts[uri] = before + after
        self.server.documents.open(uri, before + after, version)
        return self.position(before)

    def open(self, text: str, uri: str = URI, version: int = 1) -> Json:
        """Open a document as a client does; the position of the `$0` in it, of its end without one."""
        before, _, after = text.partition(CURSOR)
        self.texts[uri] = before + after
        item = {"uri": uri, "languageId": "nir", "version": version, "text": before + after}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self.position(before)

    def change(self, old: str, new: str, uri: str = URI, version: int | None = 2) -> None:
        """Replace the first `old` of a document, as one incremental change."""
        text = self.texts[uri]
        start = text.index(old)
        range_ = {"start": self.position(text[:start]), "end": self.position(text[: start + len(old)])}
        self.texts[uri] = text[:start] + new + text[start + len(old) :]
        document = {"uri": uri, "version": version}
        changes = [{"range": range_, "text": new}]
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def document(self, uri: str = URI) -> Document:
        """The document as the server has it."""
        found = self.server.document(uri)
        assert found is not None
        return found

    async def passes_have_run(self, uri: str = URI) -> None:
        """Wait until everything is known of a document."""
        await self.server.scheduler.passes_have_run(self.document(uri))

    # Places

    def position(self, before: str) -> Json:
        """The position behind some text, in the units that were agreed on."""
        snapshot = Snapshot.of(to_bytes(before))
        line, character = snapshot.position(len(snapshot), self.server.client.encoding)
        return {"line": line, "character": character}

    def at(self, mark: str, inside: int = 0, uri: str = URI) -> Json:
        """The position of the first `mark` of a document, some characters in."""
        text = self.texts[uri]
        return self.position(text[: text.index(mark) + inside])

    def offsets(self, range_: Json, uri: str = URI) -> tuple[int, int]:
        """The bytes of a range, which has to mean places between characters."""
        snapshot, encoding = Snapshot.of(to_bytes(self.texts[uri])), self.server.client.encoding
        found = []
        for place in (range_["start"], range_["end"]):
            offset = snapshot.offset(place["line"], place["character"], encoding)
            assert snapshot.position(offset, encoding) == (place["line"], place["character"])
            found.append(offset)
        start, end = found
        assert start <= end
        return start, end

    def text_of(self, range_: Json, uri: str = URI) -> str:
        """The text of a range."""
        start, end = self.offsets(range_, uri)
        return to_bytes(self.texts[uri])[start:end].decode("utf-8", "surrogatepass")

    def applied(self, edits: list[Json], uri: str = URI) -> str:
        """The text of a document after text edits, which may not overlap."""
        text = to_bytes(self.texts[uri])
        last = len(text)
        placed = [(*self.offsets(edit["range"], uri), to_bytes(edit["newText"])) for edit in edits]
        for start, end, new in sorted(placed, reverse=True):
            assert end <= last, "edits overlap"
            text, last = text[:start] + new + text[end:], start
        return text.decode("utf-8", "surrogatepass")

    # Messages

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Json) -> int:
        """Send a request; its number, for `answer` and `cancel`."""
        number = len(self._answers) + 1
        self._answers[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return number

    async def answer(self, number: int) -> Any:
        """The answer to a request. Raises FailedRequestError."""
        return await self._answers[number]

    def cancel(self, number: int) -> None:
        """Take a request back."""
        self.notify("$/cancelRequest", {"id": number})

    async def ask(self, method: str, params: Json) -> Any:
        """Send a request and wait for the answer. Raises FailedRequestError."""
        return await self.answer(self.request(method, params))

    async def ask_at(self, method: str, place: Json, uri: str = URI, **more: Any) -> Any:
        """The answer to `textDocument/METHOD` at a place."""
        params = {"textDocument": {"uri": uri}, "position": place, **more}
        return await self.ask(f"textDocument/{method}", params)

    async def ask_about(self, method: str, uri: str = URI, **more: Any) -> Any:
        """The answer to `textDocument/METHOD`, or to a whole name of ours, about a document."""
        name = method if "/" in method else f"textDocument/{method}"
        return await self.ask(name, {"textDocument": {"uri": uri}, **more})

    async def command(self, name: str, *arguments: Any) -> Any:
        """The answer to a command."""
        return await self.ask("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def methods_told(self) -> list[str]:
        """The methods of what the server sent by itself, in order."""
        return [message["method"] for message in self.told]

    def write(self, data: bytes) -> None:
        """Take a message of the server."""
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self._take_answer(message)
            return
        self.told.append(message)
        if "id" in message:
            if message["method"] in self.silent:
                return
            answer = self.replies.get(message["method"])
            is_error = isinstance(answer, type)
            said = {"error": {"code": -32601, "message": "no"}} if is_error else {"result": answer}
            reply = {"id": message["id"], **said}
            asyncio.get_running_loop().call_soon(self._send, reply)

    def _take_answer(self, message: Json) -> None:
        waiting = self._answers[message["id"]]
        if "error" in message:
            waiting.set_exception(FailedRequestError(message["error"]))
            waiting.exception()  # it may be that nobody asks for it
        else:
            waiting.set_result(message.get("result"))

    def _send(self, message: Json) -> None:
        protocol = self.server.protocol
        text = json.dumps({"jsonrpc": "2.0", **message})
        protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))


def _in_a_log(dump: str) -> str:
    return f"😀 NIR (SSA form) for 😀:\n\x1b[1m  garbage }} {{ \x00\n{dump}😀 done\nshader\n"


def _behind_its_own_copies(dump: str) -> str:
    return (dump.replace(CURSOR, "") + "nir_opt_dce 😀\n") * 50 + dump


SURROUNDINGS: dict[str, Callable[[str], str]] = {
    "alone": lambda dump: dump,
    "windows line ends": lambda dump: dump.replace("\n", "\r\n"),
    "old mac line ends around it": lambda dump: f"a\rb\r😀\r\n{dump}\r",
    "in a log": _in_a_log,
    "behind 50 copies of it": _behind_its_own_copies,
    "without a last line end": lambda dump: dump.rstrip(),
    "a name full of emoji": lambda dump: dump.replace("\nname: ", "\nname: 😀👩‍👩‍👧é𝄞 ", 1),
    "emoji in comments": lambda dump: dump.replace("  // preds", "  /* 😀𝄞 */ // preds"),
}
"""What may be around the lines of a dump, of which no answer may depend but for line numbers."""
