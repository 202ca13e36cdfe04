"""Long work on a document lets others have their turn, and prepares large dumps in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from nirls.server.engine.workspace import Document
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
    document: Document, monkeypatch: pytest.MonkeyPatch, slice_: float, turns: int
) -> None:
    monkeypatch.setattr(in_slices, "SLICE", slice_)
    had = 0

    async def other() -> None:
        nonlocal had
        while True:
            had += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    dumps = [dump async for dump in dumps_in_slices(document, lambda dump: None)]
    task.cancel()
    assert dumps == list(document.snapshot.dumps())
    assert had == turns


@pytest.mark.parametrize(("large", "prepared"), [(0, DUMPS), (1 << 30, 0)])
async def test_large_dumps_are_prepared_in_a_thread(
    document: Document, monkeypatch: pytest.MonkeyPatch, large: int, prepared: int
) -> None:
    monkeypatch.setattr(in_slices, "LARGE", large)
    threads: list[int] = []
    async for dump in dumps_in_slices(document, lambda dump: threads.append(threading.get_ident())):
        assert len(threads) in (0, dump.number + 1), "each before it is used"
    assert len(threads) == prepared
    assert threading.get_ident() not in threads
