"""The server object: what goes wrong in a handler, and texts that are not what they were."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from nirls.server.engine.checks.fixing import FixFailedError, TextChangedError
from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.worker.job import JobFailedError
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer, guarded

URI = "untitled:a"


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server()
    yield made
    made.shutdown()
    made.shutdown()  # stopping twice is allowed


def raises(error: Exception) -> None:
    raise error


async def raises_later(error: Exception) -> None:
    await asyncio.sleep(0)
    raise error


async def test_what_goes_wrong_is_logged_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    assert guarded(raises, "instead")(ValueError("no")) == "instead"
    assert await guarded(raises_later, "instead")(ValueError("no")) == "instead"
    assert [one.levelno for one in caplog.records] == [logging.ERROR] * 2
    assert "raises_later failed" in caplog.text


async def test_a_failure_names_the_request(server: NirlsServer, caplog: pytest.LogCaptureFixture) -> None:
    @server.handler("nirls/odd", otherwise="instead")
    def odd(params: object) -> None:
        raise ValueError("no")

    assert server._handlers["nirls/odd"](None) == "instead"
    assert "nirls/odd failed" in caplog.text


async def test_a_handler_gets_the_open_document_of_a_request(server: NirlsServer) -> None:
    @server.on_document("nirls/now", otherwise="closed")
    def now(document: Document, params: object) -> str:
        return document.uri

    @server.on_document("nirls/later", otherwise="closed")
    async def later(document: Document, params: object) -> str:
        await asyncio.sleep(0)
        return document.uri

    about = types.FoldingRangeParams(types.TextDocumentIdentifier(URI))
    features = server._handlers
    assert (features["nirls/now"](about), await features["nirls/later"](about)) == ("closed", "closed")
    server.documents.open(URI, "a", 1)
    assert (features["nirls/now"](about), await features["nirls/later"](about)) == (URI, URI)


async def test_an_answer_that_a_client_understands_goes_through() -> None:
    for error in (JsonRpcException("why not", -32803), JsonRpcContentModified()):
        with pytest.raises(type(error)):
            guarded(raises)(error)
        with pytest.raises(type(error)):
            await guarded(raises_later)(error)


async def test_a_fix_that_was_not_made_is_an_error_response() -> None:
    with pytest.raises(JsonRpcContentModified):
        await guarded(raises_later)(TextChangedError("a.log changed"))
    with pytest.raises(JsonRpcException, match="opt_dce") as refused:
        await guarded(raises_later)(FixFailedError("opt_dce took too long"))
    assert refused.value.code == types.LSPErrorCodes.RequestFailed


async def test_what_is_cancelled_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    task = asyncio.ensure_future(guarded(raises_later, "instead")(ValueError("no")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert caplog.records == []


def test_the_text_that_a_request_is_about(server: NirlsServer) -> None:
    document = server.documents.open(URI, "a", 1)
    snapshot = document.snapshot
    server.require_text(document, snapshot)
    document.change([TextChange(None, "b")], 2, Encoding.UTF16)
    with pytest.raises(JsonRpcContentModified, match=URI):
        server.require_text(document, snapshot)
    server.require_text(document, document.snapshot)
    server.documents.close(URI)
    with pytest.raises(JsonRpcContentModified):
        server.require_text(document, document.snapshot)
    # Opened again it is another document, whatever its text.
    again = server.documents.open(URI, "b", 1)
    with pytest.raises(JsonRpcContentModified):
        server.require_text(document, again.snapshot)


async def test_work_elsewhere(server: NirlsServer) -> None:
    server.analyzer.maker = InlineWorker()
    assert await server.in_worker(5, sorted, [2, 1]) == [1, 2]
    with pytest.raises(JobFailedError, match="no"):
        await server.in_worker(5, raises, ValueError("no"))


async def test_tasks_that_nobody_waits_for_are_done(server: NirlsServer) -> None:
    done = asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    server.start(work())
    assert await asyncio.wait_for(done.wait(), 20)
