"""Signature help over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import CALLING, CLASSIC, FRAGMENT, marked
from tests.server.lsp.features.session import SURROUNDINGS

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def active(session: Session, text: str) -> str | None:
    """The name and the active parameter of what is shown at the `$0`."""
    found = await session.ask_at("signatureHelp", session.place(text))
    if found is None:
        return None
    (signature,) = found["signatures"]
    number, parameters = found["activeParameter"], signature["parameters"]
    if number >= len(parameters):
        return f"{signature['label'].split()[0]}:"
    start, end = parameters[number]["label"]
    return f"{signature['label'].split('(')[0].strip()}: {signature['label'][start:end]}"


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_the_source_under_the_cursor(session: Session, around: str) -> None:
    first = await active(session, SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", 1)))
    second = await active(session, SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", 5)))
    assert first is not None
    assert second is not None
    assert "fmul" in first
    assert "fmul" in second


@pytest.mark.parametrize("dump", [CLASSIC, CLASSIC.replace("\n", "\r\n")])
async def test_the_older_dialect(session: Session, dump: str) -> None:
    found = await active(session, marked(dump, "ssa_1, ssa_0", 1))
    assert found is not None
    assert "fmul" in found


@pytest.mark.parametrize(
    "text",
    [
        "$0",
        "log$0",
        f"{FRAGMENT}$0",
        marked(FRAGMENT, "// 😀", 3),
        marked(FRAGMENT, "block b0", 3),
        marked(FRAGMENT, "name: x", 6),
    ],
)
async def test_nothing_to_show(session: Session, text: str) -> None:
    assert await active(session, text) is None


async def test_what_is_being_typed(session: Session) -> None:
    """Nothing of the line can be parsed yet."""
    session.open(FRAGMENT)
    session.change(
        "                // succs: b1", "    32     %3 = fadd 😀 %2, \n                // succs: b1"
    )
    place = session.at("%2, \n", 4)
    found = await session.ask_at("signatureHelp", place)
    assert "fadd" in found["signatures"][0]["label"]


async def test_a_call(session: Session) -> None:
    found = await session.ask_at("signatureHelp", session.place(marked(CALLING, "helper %0", 8)))
    assert found is None or "helper" in found["signatures"][0]["label"]
