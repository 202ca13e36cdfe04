"""Code lenses over the protocol: which dumps have them, and what they say when resolved."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

CONTENT_MODIFIED = -32801
UNUSED = STORING.replace("VAR0", "VAR1")


async def lenses(session: Session, uri: str = URI) -> list[Json]:
    all_: list[Json] = await session.ask_about("codeLens", uri)
    others = ("Pending: ", "Run")
    found = [one for one in all_ if not one.get("command", {}).get("title", "").startswith(others)]
    lines = session.texts[uri].splitlines()
    for one in found:
        start, end = one["range"]["start"], one["range"]["end"]
        assert start == end
        assert lines[start["line"]].startswith(("shader:", "// nirls:"))
    return found


async def titles(session: Session, uri: str = URI) -> list[str]:
    """What the lenses say, the unresolved ones resolved."""
    found = []
    for lens in await lenses(session, uri):
        resolved = lens if "command" in lens else await session.ask("codeLens/resolve", lens)
        found.append(resolved["command"]["title"])
    return found


async def test_a_linked_pair(session: Session) -> None:
    session.place(STORING + "😀 log\n" + LOADING)
    found = await titles(session)
    assert found[0].startswith("linked with FS (dump 2)")
    assert found[2].startswith("linked with VS (dump 1)")
    assert len(found) == 4


@pytest.mark.parametrize("text", ["", "log\n", "shader: MESA_SHADER_COMPUTE\nimpl main {\n}\n"])
async def test_nothing_to_link(session: Session, text: str) -> None:
    session.place(text)
    assert await lenses(session) == []


async def test_of_many_snapshots_one_has_a_lens(session: Session) -> None:
    session.place("nir_opt_dce\n".join([FRAGMENT] * 50))
    (lens,) = await lenses(session)
    assert lens["range"]["start"]["line"] == session.texts[URI].count("\n") - FRAGMENT.count("\n")


async def test_every_lens_has_words(session: Session) -> None:
    """Editors leave a line free for a lens without a title."""
    session.place(FRAGMENT)
    assert await titles(session) == ["no varyings that linking could change"]


async def test_after_an_edit_a_lens_says_what_is_so_now(session: Session) -> None:
    session.place(STORING + LOADING)
    before = await titles(session)
    session.change("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR1")
    after = await titles(session)
    assert before != after


async def test_a_lens_of_a_dump_that_moved(session: Session) -> None:
    session.server.client = replace(session.server.client, commands=frozenset({"nirls.showPacking"}))
    session.place(STORING + LOADING)
    lens = (await lenses(session))[1]
    session.change("shader:", "// 😀\n\nshader:")
    resolved = await session.ask("codeLens/resolve", lens)
    assert resolved["command"]["arguments"] == [URI, 2]


async def test_a_dump_that_changes_meanwhile(session: Session) -> None:
    session.place(STORING + LOADING)
    asked = session.request("codeLens/resolve", (await lenses(session))[1])
    await asyncio.sleep(0)
    session.change("0x3f800000 = 1.000000", "0x40000000 = 2.000000")
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == CONTENT_MODIFIED


async def test_a_document_that_is_closed_meanwhile(session: Session) -> None:
    session.place(STORING + LOADING)
    lens = (await lenses(session))[1]
    asked = session.request("codeLens/resolve", lens)
    await asyncio.sleep(0)
    session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    with pytest.raises(FailedRequestError):
        await session.answer(asked)
    assert (await session.ask("codeLens/resolve", lens))["command"]["title"] == ""


@pytest.mark.parametrize("data", [None, 3, {}, {"uri": URI, "slot": 10**9}])
async def test_data_of_others(session: Session, data: object) -> None:
    session.place(STORING)
    here = {"line": 0, "character": 0}
    lens = {"range": {"start": here, "end": here}, "data": data}
    assert (await session.ask("codeLens/resolve", lens))["command"]["title"] == ""
