"""Long messages are decoded and prepared in threads; only what cannot depend on them is handled before."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from nirls.server.engine.documents import dump_state
from nirls.server.engine.documents.document import Piece, Snapshot
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.message_order import LONG, MessageOrder, _document_in
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import NirlsProtocol
from tests.server.lsp.features.session import Session
from tools.synthetic import log_of_lines

LARGE, SMALL = "untitled:large", "untitled:small"


class Plain(SimpleNamespace):
    """A message, or a part of one; unlike its base class, it may have weak references."""


class FakeServer:
    """Writes down what is handled; the preparation of a long message goes on until `go_on` is set.

    So does the decoding of one, if it `decodes_slowly`.
    """

    def __init__(self) -> None:
        self.protocol = self
        self.go_on = threading.Event()
        self.decodes_slowly = False
        self.threads: list[int] = []
        self.handled: list[int] = []
        self.errors: list[Exception] = []

    def decoded(self, body: bytes) -> Any:
        self.threads.append(threading.get_ident())
        if self.decodes_slowly and len(body) > LONG:
            self.go_on.wait(60)
        return json.loads(body, object_hook=lambda data: Plain(**data))

    def prepare(self, message: Any) -> None:
        self.threads.append(threading.get_ident())
        if message.text:
            self.go_on.wait(60)

    def handle_message(self, message: Any) -> None:
        self.handled.append(message.id)
        if message.method == "fails":
            raise ValueError("no")

    def report_server_error(self, error: Exception, source: object) -> None:
        self.errors.append(error)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    made = FakeServer()
    yield made
    made.go_on.set()


@pytest.fixture
async def order(server: FakeServer) -> AsyncIterator[MessageOrder]:
    made = MessageOrder(server)  # type: ignore[arg-type]
    yield made
    server.go_on.set()
    await made.all_handled()


def message(number: int, uri: str | None, *, method: str = "m", text: str = "") -> bytes:
    params = {"textDocument": {"uri": uri}} if uri else {"other": 1}
    return json.dumps({"id": number, "method": method, "params": params, "text": text}).encode()


LONG_TEXT = "x" * LONG


async def test_only_messages_about_other_documents_overtake_a_long_one(
    server: FakeServer, order: MessageOrder
) -> None:
    await order.take(message(1, LARGE, text=LONG_TEXT))
    await order.take(message(2, SMALL))
    await order.take(message(3, LARGE))
    await order.take(message(4, SMALL))
    assert server.handled == [2, 4]
    await order.take(message(5, None))
    await order.take(message(6, SMALL))  # may depend on what names no document
    await order.take(message(7, None, method="$/cancelRequest"))
    assert server.handled == [2, 4, 7]
    server.go_on.set()
    await order.all_handled()
    assert server.handled == [2, 4, 7, 1, 3, 5, 6]
    await order.take(message(8, LARGE))
    assert server.handled[-1] == 8


async def test_short_messages_are_handled_at_once_and_long_ones_in_threads(
    server: FakeServer, order: MessageOrder
) -> None:
    await order.take(message(1, SMALL))
    assert server.threads == [threading.get_ident()] * 2
    server.threads.clear()
    server.go_on.set()
    await order.take(message(2, LARGE, text=LONG_TEXT))
    await order.all_handled()
    assert threading.get_ident() not in server.threads
    assert server.handled == [1, 2]


@pytest.mark.parametrize("is_last", [False, True])
async def test_a_change_of_a_text_is_overtaken_while_it_is_decoded(
    server: FakeServer, order: MessageOrder, is_last: bool
) -> None:
    server.decodes_slowly = True
    words = json.loads(message(1, LARGE, method="textDocument/didChange", text=LONG_TEXT))
    if is_last:
        words = dict(reversed(words.items()))
    await asyncio.wait_for(order.take(json.dumps(words).encode()), 30)
    await order.take(message(2, LARGE))
    await order.take(message(3, SMALL))
    assert server.handled == [3]
    server.go_on.set()
    await order.all_handled()
    assert server.handled == [3, 1, 2]


@pytest.mark.parametrize(
    "document",
    ['{"uri": "untitled:\\u0061 \\" b"}', '{"uri": "\\x"}', '{"text": "\\"uri\\": \\"no\\""}', "{}"],
)
def test_the_document_is_read_from_a_message_or_not_at_all(document: str) -> None:
    body = f'{{"method": "textDocument/didOpen", "params": {{"textDocument": {document}}}}}'.encode()
    try:
        expected = json.loads(document).get("uri")
    except ValueError:
        expected = None
    assert _document_in(body) == expected
    assert _document_in(body.replace(b"did", b"will")) is None


async def test_a_long_message_is_not_kept(server: FakeServer, order: MessageOrder) -> None:
    server.go_on.set()
    seen: list[weakref.ref[Any]] = []
    decoded = server.decoded

    def noted(body: bytes) -> Any:
        message = decoded(body)
        seen.append(weakref.ref(message))
        return message

    server.decoded = noted  # type: ignore[method-assign]
    await order.take(message(1, LARGE, method="textDocument/didOpen", text=LONG_TEXT))
    await order.all_handled()
    await asyncio.sleep(0)
    gc.collect()
    assert [one() for one in seen] == [None]


async def test_one_long_message_waits_at_a_time(server: FakeServer, order: MessageOrder) -> None:
    await order.take(message(1, LARGE, text=LONG_TEXT))
    second = asyncio.create_task(order.take(message(2, LARGE, text=LONG_TEXT)))
    await asyncio.wait([second], timeout=0.05)
    assert not second.done()
    server.go_on.set()
    await second
    assert server.handled[0] == 1


async def test_a_message_that_fails_costs_nothing_else(server: FakeServer, order: MessageOrder) -> None:
    await order.take(b"{")
    await order.take(message(1, SMALL, method="fails"))
    await order.take(message(2, SMALL))
    assert server.handled == [1, 2]
    assert [type(error) for error in server.errors] == [json.JSONDecodeError, ValueError]


@pytest.fixture
def real() -> Iterator[NirlsServer]:
    made = make_server()
    yield made
    made.shutdown()


async def test_what_is_in_proportion_to_a_long_text_runs_in_threads(
    real: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened, replaced, and replaced by other dumps: decoding, dividing, facts for linking."""
    Session(real)
    order, here = MessageOrder(real), threading.get_ident()
    done: dict[str, set[bool]] = {}

    def watch(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            done.setdefault(name, set()).add(threading.get_ident() == here)
            return function(*arguments, **named)

        monkeypatch.setattr(owner, name, watched)

    watch(NirlsProtocol, "decoded")
    watch(Snapshot, "of")
    watch(Snapshot, "replace")
    watch(Piece, "__init__")
    watch(dump_state, "dump_facts")

    async def say(method: str, **params: Any) -> set[str]:
        done.clear()
        await order.take(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())
        await order.all_handled()
        assert set().union(*done.values()) == {False}, done
        return set(done)

    text = log_of_lines(3000, 100)
    other = text.replace("fadd", "fmul").replace("VERTEX", "FRAGMENT", 1)
    assert len(text) > LONG
    item = {"uri": LARGE, "languageId": "nir", "version": 1, "text": text}
    assert await say("textDocument/didOpen", textDocument=item) == {"decoded", "of", "__init__", "dump_facts"}
    for version, changed in enumerate((text + "x", other), 2):
        document = {"uri": LARGE, "version": version}
        made = await say("textDocument/didChange", textDocument=document, contentChanges=[{"text": changed}])
        assert {"decoded", "replace"} <= made
        opened = real.document(LARGE)
        assert opened is not None
        assert opened.snapshot.text.decode() == changed
    real.linker.pipelines_of(opened)
    assert "dump_facts" in done
    assert done["dump_facts"] == {False}
