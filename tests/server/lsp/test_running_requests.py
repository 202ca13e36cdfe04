"""Requests end with the next edit of their document, at their time limit, and when the client cancels."""

from __future__ import annotations

import asyncio

import pytest
from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.running_requests import RunningRequests, TooLongError
from tests.server.lsp.features.session import FailedRequestError, Session
from tools.synthetic import log_of_lines, vertex_dump

URI, OTHER = "file:///a.nir", "file:///b.nir"


async def _sleep(seconds: float, ended: list[str] | None = None) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        if ended is not None:
            ended.append("cancelled")
        raise
    return "done"


async def test_a_request_is_answered() -> None:
    assert await RunningRequests().run(URI, _sleep(0)) == "done"


async def test_an_edit_ends_the_requests_about_its_document_only() -> None:
    requests, ended = RunningRequests(), list[str]()
    here = asyncio.ensure_future(requests.run(URI, _sleep(10, ended)))
    elsewhere = asyncio.ensure_future(requests.run(OTHER, _sleep(0.01, ended)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    requests.end(URI)
    with pytest.raises(JsonRpcContentModified):
        await here
    assert await elsewhere == "done"
    assert ended == ["cancelled"]


async def test_a_request_has_a_time_limit() -> None:
    ended = list[str]()
    with pytest.raises(TooLongError, match=r"within 0\.01 s"):
        await RunningRequests(0.01).run(URI, _sleep(10, ended))
    assert ended == ["cancelled"]


async def test_the_client_cancels_a_request() -> None:
    requests, ended = RunningRequests(), list[str]()
    task = asyncio.ensure_future(requests.run(URI, _sleep(10, ended)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cancelled"]


ABOUT_THE_TEXT = [
    ("textDocument/hover", {"position": {"line": 12, "character": 14}}),
    ("textDocument/formatting", {"options": {"tabSize": 4, "insertSpaces": True}}),
    ("textDocument/semanticTokens/full", {}),
    ("textDocument/documentSymbol", {}),
    ("textDocument/foldingRange", {}),
    (
        "textDocument/inlayHint",
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 5000, "character": 0}}},
    ),
    ("nirls/timeline", {}),
]


@pytest.mark.parametrize(("method", "params"), ABOUT_THE_TEXT, ids=[method for method, _ in ABOUT_THE_TEXT])
async def test_an_edit_makes_the_answer_void(method: str, params: dict[str, object]) -> None:
    session = Session(make_server(new_worker=InlineWorker))
    session.place(vertex_dump(4000) + log_of_lines(2000, 100), URI)
    number = session.request(method, {"textDocument": {"uri": URI}, **params})
    # The request has begun; on a slow machine, a longer pause would be enough for its answer.
    await asyncio.sleep(0)
    session.change("impl main", "impl  main", URI)
    with pytest.raises(FailedRequestError, match="changed meanwhile"):
        await session.answer(number)
