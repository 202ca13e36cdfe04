"""Requests about a large dump do not delay requests about others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp import nirls_server
from nirls.server.lsp.language_server import make_server
from tests.server.lsp.features.session import FailedRequestError, Session
from tools.synthetic import fragment_dump, vertex_dump

LARGE_URI, SMALL_URI = "file:///large.nir", "file:///small.nir"
POSITION = {"line": 12, "character": 14}


@pytest.fixture
def session() -> Session:
    made = Session(make_server(new_worker=InlineWorker))
    made.place(vertex_dump(4000), LARGE_URI)
    made.place(fragment_dump(20), SMALL_URI)
    return made


REQUESTS = [
    ("hover", {"position": POSITION}),
    ("documentHighlight", {"position": POSITION}),
    ("selectionRange", {"positions": [POSITION]}),
    ("inlayHint", {"range": {"start": POSITION, "end": {"line": 20, "character": 0}}}),
    ("formatting", {"options": {"tabSize": 4, "insertSpaces": True}}),
    ("semanticTokens/full", {}),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("method", "params"), REQUESTS)
async def test_another_document_is_answered_first(
    session: Session, method: str, params: dict[str, object]
) -> None:
    hover = {"textDocument": {"uri": SMALL_URI}, "position": POSITION}
    await session.ask("textDocument/hover", hover)
    answers: list[str] = []

    async def ask(name: str, number: int) -> None:
        await session.answer(number)
        answers.append(name)

    slow = session.request(f"textDocument/{method}", {"textDocument": {"uri": LARGE_URI}, **params})
    await asyncio.sleep(0.001)
    quick = session.request("textDocument/hover", hover)
    await asyncio.gather(ask("large", slow), ask("small", quick))
    assert answers == ["small", "large"]


async def test_a_change_while_parsing_makes_the_answer_void(session: Session) -> None:
    number = session.request("textDocument/hover", {"textDocument": {"uri": LARGE_URI}, "position": POSITION})
    await asyncio.sleep(0.001)
    session.change("impl main", "impl  main", LARGE_URI)
    with pytest.raises(FailedRequestError, match="changed meanwhile"):
        await session.answer(number)


@pytest.mark.parametrize("method", ["documentHighlight", "completion", "references"])
async def test_a_handler_that_reads_a_large_dump_runs_in_a_thread(
    session: Session, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    threads: list[int] = []
    for name in ("of_text", "of_shader"):
        monkeypatch.setattr(DumpState, name, _noting_the_thread(getattr(DumpState, name), threads))
    context = {"includeDeclaration": True, "triggerKind": 1}
    params = {"textDocument": {"uri": LARGE_URI}, "position": POSITION, "context": context}
    await session.ask(f"textDocument/{method}", params)
    assert threads
    assert threading.get_ident() not in threads


def _noting_the_thread(function: Callable[..., object], threads: list[int]) -> Callable[..., object]:
    def noting(*arguments: object) -> object:
        threads.append(threading.get_ident())
        return function(*arguments)

    return noting


async def test_a_parsed_dump_is_not_parsed_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []

    def parse(state: DumpState) -> None:
        parsed.append(state)
        read(state)

    read = nirls_server._read
    monkeypatch.setattr(nirls_server, "_read", parse)
    place = {"textDocument": {"uri": LARGE_URI}, "position": POSITION}
    for _ in range(3):
        await session.ask("textDocument/hover", place)
        await session.ask("textDocument/hover", {**place, "textDocument": {"uri": SMALL_URI}})
    assert len(parsed) == 2
