"""What nirls changes about pygls' protocol: bare messages, sent to a server and answered by it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

URI = "untitled:a"
DOCUMENT = {"uri": URI, "languageId": "nir", "version": 1, "text": "one\n"}


class Wire:
    """Both ends: what is said to a server, and what it has written."""

    def __init__(self) -> None:
        self.server: NirlsServer = make_server()
        self.server.analyzer.finder = self.server.analyzer.maker = InlineWorker()
        self.heard: list[dict[str, Any]] = []
        self.server.protocol.set_writer(self)

    def say(self, **message: Any) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message})
        protocol = self.server.protocol
        protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))

    def write(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        assert head.splitlines()[0] == b"Content-Length: %d" % len(body)
        self.heard.append(json.loads(body))

    async def answer(self, number: int | str) -> dict[str, Any]:
        async with asyncio.timeout(60):
            while not any(message.get("id") == number for message in self.heard):
                await asyncio.sleep(0.001)
        return next(message for message in self.heard if message.get("id") == number)


@pytest.fixture
async def wire() -> Wire:
    made = Wire()
    made.say(id=0, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    await made.answer(0)
    return made


async def test_a_text_is_kept_by_nirls_alone(wire: Wire) -> None:
    wire.say(method="textDocument/didOpen", params={"textDocument": DOCUMENT})
    change = {
        "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 3}},
        "text": "!",
    }
    wire.say(
        method="textDocument/didChange",
        params={"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]},
    )
    document = wire.server.document(URI)
    assert document is not None
    assert (document.snapshot.text, document.snapshot.version) == (b"one!\n", 2)
    assert dict(wire.server.workspace.text_documents) == {}
    wire.say(method="textDocument/didClose", params={"textDocument": {"uri": URI}})
    assert wire.server.document(URI) is None


@pytest.mark.parametrize("version", [{}, {"version": None}])
async def test_a_change_without_a_version_is_made(wire: Wire, version: dict[str, None]) -> None:
    wire.say(method="textDocument/didOpen", params={"textDocument": DOCUMENT})
    wire.say(
        method="textDocument/didChange",
        params={"textDocument": {"uri": URI, **version}, "contentChanges": [{"text": "two"}]},
    )
    document = wire.server.document(URI)
    assert document is not None
    assert document.snapshot.text == b"two"


async def test_messages_leave_nothing_behind(wire: Wire) -> None:
    wire.say(method="textDocument/didOpen", params={"textDocument": DOCUMENT})
    kept = before = (0, 0)
    for number in range(1, 60):
        wire.say(
            method="textDocument/didChange",
            params={"textDocument": {"uri": URI, "version": number}, "contentChanges": [{"text": "x"}]},
        )
        wire.say(method="textDocument/didSave", params={"textDocument": {"uri": URI}})
        wire.say(id=number, method="textDocument/documentSymbol", params={"textDocument": {"uri": URI}})
        wire.say(
            id=f"hover {number}",
            method="textDocument/hover",
            params={"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}},
        )
        await wire.answer(number)
        await wire.answer(f"hover {number}")
        await asyncio.sleep(0)
        protocol = wire.server.protocol
        kept = len(protocol._request_futures), len(protocol._result_types)
        before = kept if number == 10 else before
    assert kept == before


async def test_a_request_that_is_none_is_answered(wire: Wire) -> None:
    with pytest.raises(JsonRpcInvalidParams):
        wire.say(id=7, method="textDocument/hover", params={"textDocument": {"uri": 3}})
    answer = await wire.answer(7)
    assert answer["error"]["code"] == JsonRpcInvalidParams.CODE


async def test_what_is_plain_or_encoded_goes_out_as_it_is(wire: Wire) -> None:
    protocol = wire.server.protocol
    wire.heard.clear()
    protocol._send_response(1, {"a": [1, "é"]})
    protocol._send_response("b", Encoded('[{"c":2}]'))
    protocol.notify_plain("m", {"d": None})
    assert wire.heard == [
        {"jsonrpc": "2.0", "id": 1, "result": {"a": [1, "é"]}},
        {"jsonrpc": "2.0", "id": "b", "result": [{"c": 2}]},
        {"jsonrpc": "2.0", "method": "m", "params": {"d": None}},
    ]


def test_without_a_client_nothing_is_sent() -> None:
    protocol = make_server().protocol
    protocol._send_response(1, Encoded("{}"))
    assert not protocol.is_shut_down


@pytest.mark.parametrize(("version", "expected"), [(1 << 31, -1), (1 << 40, -1), (None, 0), (7, 7)])
async def test_versions_that_are_no_lsp_integers_cost_no_change(version: int | None, expected: int) -> None:
    wire = Wire()
    wire.server.protocol.is_initialized = True
    item = {"uri": "untitled:a", "languageId": "nir", "version": 1, "text": "a"}
    wire.say(method="textDocument/didOpen", params={"textDocument": item})
    document = {"uri": "untitled:a", "version": version}
    changes = [{"text": "b"}]
    params = {"textDocument": document, "contentChanges": changes}
    wire.say(method="textDocument/didChange", params=params)
    opened = wire.server.document("untitled:a")
    assert opened is not None
    assert (opened.snapshot.text, opened.snapshot.version) == (b"b", expected)
    wire.server.shutdown()
