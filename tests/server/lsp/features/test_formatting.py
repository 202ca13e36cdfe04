"""Formatting over the protocol: white space alone, and only of the lines asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

OPTIONS = {"tabSize": 4, "insertSpaces": True}
CONTENT_MODIFIED = -32801
CROOKED = FRAGMENT.replace("    32     %0", "32       %0").replace("    32     %1", "\t\t32 %1")


async def formatted(session: Session, first: str | None = None, last: str | None = None) -> str:
    """The text after formatting, of the lines from one mark to the other where they are given."""
    if first is None or last is None:
        edits = await session.ask_about("formatting", options=OPTIONS)
    else:
        range_ = {"start": session.at(first), "end": session.at(last, len(last))}
        edits = await session.ask_about("rangeFormatting", range=range_, options=OPTIONS)
    return session.applied(edits)


def without_space(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_white_space_alone_changes(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](CROOKED))
    text = await formatted(session)
    assert without_space(text) == without_space(session.texts[URI])
    assert text.count("\r\n") == session.texts[URI].count("\r\n")
    assert "\t\t32 %1" not in text
    session.place(text)
    assert await formatted(session) == text


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_what_mesa_printed_stays(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](STORING))
    assert await formatted(session) == session.texts[URI]


async def test_some_lines(session: Session) -> None:
    session.place(CROOKED)
    text = await formatted(session, "32 %1", "32 %1")
    assert text.replace(" ", "").count("\t") == 0
    assert "\n32       %0" in text


async def test_a_selection_that_ends_ahead_of_a_line(session: Session) -> None:
    session.place(CROOKED)
    end = session.at("\t\t32 %1")
    edits = await session.ask_about(
        "rangeFormatting", range={"start": session.at("32       %0"), "end": end}, options=OPTIONS
    )
    assert "\t\t32 %1" in session.applied(edits)


@pytest.mark.parametrize("text", ["", " \n\t\n", "a log   \n\t x\n", "shader: MESA_SHADER_FRAGMENT"])
async def test_nothing_to_format(session: Session, text: str) -> None:
    session.place(text)
    assert await session.ask_about("formatting", options=OPTIONS) == []


@pytest.mark.parametrize(
    "range_",
    [
        {"start": {"line": 10**6, "character": 0}, "end": {"line": 10**6, "character": 9}},
        {"start": {"line": 5, "character": 10**6}, "end": {"line": 2, "character": 0}},
    ],
)
async def test_odd_ranges(session: Session, range_: Json) -> None:
    session.place(FRAGMENT)
    assert await session.ask_about("rangeFormatting", range=range_, options=OPTIONS) == []


async def test_a_text_that_changes_meanwhile(session: Session) -> None:
    session.place(CROOKED + CROOKED)
    asked = session.request("textDocument/formatting", {"textDocument": {"uri": URI}, "options": OPTIONS})
    await asyncio.sleep(0)
    session.change("%2 = fmul", "%2 = fsub")
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == CONTENT_MODIFIED
