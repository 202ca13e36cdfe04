"""Call hierarchy over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import CALLING, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session


async def prepared(session: Session, text: str) -> Json | None:
    found = await session.ask_at("prepareCallHierarchy", session.place(text))
    return found[0] if found else None


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("inside", [5, 8, 11])
async def test_who_calls_and_who_is_called(session: Session, around: str, inside: int) -> None:
    item = await prepared(session, SURROUNDINGS[around](marked(CALLING, "call helper", inside)))
    assert item is not None
    assert item["name"] == "helper"
    (incoming,) = await session.ask("callHierarchy/incomingCalls", {"item": item})
    assert incoming["from"]["name"] == "main"
    assert [session.text_of(one).strip() for one in incoming["fromRanges"]] == ["call helper %0"] * 2
    assert await session.ask("callHierarchy/outgoingCalls", {"item": item}) == []
    (outgoing,) = await session.ask("callHierarchy/outgoingCalls", {"item": incoming["from"]})
    assert outgoing["to"]["name"] == "helper"
    assert session.text_of(item["selectionRange"]).startswith("impl helper")


@pytest.mark.parametrize(
    "text", ["$0", "log$0", marked(CALLING, "%0 = load", 1), marked(CALLING, "name: x", 6)]
)
async def test_nothing_that_calls(session: Session, text: str) -> None:
    assert await prepared(session, text) is None


async def test_a_callee_without_a_body(session: Session) -> None:
    item = await prepared(session, marked(CALLING.partition("\nimpl helper")[0], "call helper", 7))
    if item is not None:
        assert await session.ask("callHierarchy/outgoingCalls", {"item": item}) == []


async def test_an_item_follows_its_dump(session: Session) -> None:
    session.open(CALLING)
    (item,) = await session.ask_at("prepareCallHierarchy", session.at("call helper", 7))
    session.change("shader:", "// 😀\n\nshader:")
    (incoming,) = await session.ask("callHierarchy/incomingCalls", {"item": item})
    assert [session.text_of(one).strip() for one in incoming["fromRanges"]] == ["call helper %0"] * 2


@pytest.mark.parametrize("data", [None, {}, {"slot": 10**9, "function": "main"}, "x", {"slot": "x"}])
async def test_an_item_that_is_gone(session: Session, data: object, caplog: pytest.LogCaptureFixture) -> None:
    session.place(CALLING)
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    item = {"name": "x", "kind": 12, "uri": URI, "range": nowhere, "selectionRange": nowhere, "data": data}
    assert await session.ask("callHierarchy/incomingCalls", {"item": item}) is None
    assert await session.ask("callHierarchy/outgoingCalls", {"item": {**item, "uri": "file:///no"}}) is None
    caplog.clear()
