"""`nirls/graph` over the protocol."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.engine.worker.process import InlineWorker
from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

KINDS = ("cfg", "values", "dominators", "varyings")


async def graph(session: Session, kind: str, place: Json, **more: object) -> Any:
    return await session.ask_about("nirls/graph", kind=kind, position=place, **more)


@pytest.fixture
def kinds() -> list[str]:
    from nirls.server.ide.graphs.kinds import GraphKind

    return [kind.value for kind in GraphKind]


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_nodes_are_where_they_say(session: Session, around: str, kinds: list[str]) -> None:
    place = session.place(SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", 1)))
    for kind in kinds:
        found = await graph(session, kind, place)
        assert found["dot"] is not None or found["whyNot"], kind
        for node in found["nodes"]:
            assert session.text_of(node["range"]).strip()
            assert node["uri"] == URI


async def test_a_pipeline_of_two_files(session: Session) -> None:
    one, other = "file:///p/a.vert.nir", "file:///p/a.frag.nir"
    session.place(STORING, one)
    session.place("😀\n" + LOADING, other)
    place = session.at("@load_input", 0, other)
    found = await session.ask_about("nirls/graph", other, kind="varyings", position=place)
    assert {node["uri"] for node in found["nodes"]} == {one, other}
    for node in found["nodes"]:
        assert session.text_of(node["range"], node["uri"]).strip()


async def test_cut_blocks_are_counted_and_drawn_whole_on_request(session: Session) -> None:
    moves = "".join(f"    32     %{number} = mov %0\n" for number in range(100, 140))
    session.place(FRAGMENT.replace("    /* 😀 */ 32", f"{moves}    /* 😀 */ 32"))
    place = session.at("%1, %0")
    cut, whole = [
        await session.ask_about("nirls/graph", URI, kind="cfg", position=place, whole=whole)
        for whole in (False, True)
    ]
    assert (cut["cutBlocks"], whole["cutBlocks"]) == (1, 0)
    assert "%139 = mov" in whole["dot"]
    assert "%139 = mov" not in cut["dot"]


@pytest.mark.parametrize("text", ["$0", "log$0\n", f"{FRAGMENT}log$0"])
async def test_no_dump(session: Session, text: str, kinds: list[str]) -> None:
    place = session.place(text)
    for kind in (*kinds, "no such kind"):
        assert await graph(session, kind, place) is None


class SlowWorker(InlineWorker):
    """Begins its job when the text has changed."""

    def __init__(self) -> None:
        self._is_called, self._has_changed = threading.Event(), threading.Event()

    def call(self, *arguments: Any, **named: Any) -> Any:
        self._is_called.set()
        self._has_changed.wait(60)
        return super().call(*arguments, **named)

    async def change_while_working(self, change: Callable[[], None]) -> None:
        await asyncio.to_thread(self._is_called.wait, 60)
        change()
        self._has_changed.set()


async def test_after_an_edit_above_nodes_have_moved(session: Session, kinds: list[str]) -> None:
    worker = session.server.analyzer.maker = SlowWorker()
    place = session.place(marked(FRAGMENT, "%1, %0", 1))
    asked = session.request(
        "nirls/graph", {"textDocument": {"uri": URI}, "kind": "values", "position": place}
    )
    await worker.change_while_working(lambda: session.change("shader:", "a line\nshader:"))
    found = await session.answer(asked)
    assert any("%2 = fmul" in session.text_of(node["range"]) for node in found["nodes"])
    worker = session.server.analyzer.maker = SlowWorker()
    asked = session.request(
        "nirls/graph", {"textDocument": {"uri": URI}, "kind": "values", "position": session.at("%1, %0")}
    )
    await worker.change_while_working(lambda: session.change("fmul", "fsub"))
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == -32801
