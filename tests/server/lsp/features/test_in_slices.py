"""Long work on a document lets others have their turn, and ends when the text is another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.positions import Encoding
from nirls.server.engine.workspace import Document, TextChange
from nirls.server.lsp.features import in_slices
from nirls.server.lsp.features.in_slices import dumps_in_slices
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from tools.synthetic import fragment_dump

DUMPS = 5


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server()
    yield made
    made.shutdown()


@pytest.fixture
def document(server: NirlsServer) -> Document:
    return server.documents.open("file:///x.log", "\n".join(fragment_dump(10, n) for n in range(DUMPS)), 1)


@pytest.mark.parametrize(("slice_", "turns"), [(-1.0, DUMPS), (1000.0, 0)])
async def test_others_have_their_turn_after_each_slice(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch, slice_: float, turns: int
) -> None:
    monkeypatch.setattr(in_slices, "SLICE", slice_)
    had = 0

    async def other() -> None:
        nonlocal had
        while True:
            had += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    dumps = [dump async for dump in dumps_in_slices(server, document)]
    task.cancel()
    assert dumps == list(document.snapshot.dumps())
    assert had == turns


async def test_it_ends_when_the_text_is_another(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_slices, "SLICE", -1.0)
    seen = []

    async def look() -> None:
        async for dump in dumps_in_slices(server, document):
            seen.append(dump.number)
            if dump.number == 2:
                document.change([TextChange(None, "x")], 2, Encoding.UTF16)

    with pytest.raises(JsonRpcContentModified):
        await look()
    assert seen == [0, 1, 2]
