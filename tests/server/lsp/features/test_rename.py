"""Rename over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import CALLING, CLASSIC, FRAGMENT, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

REQUEST_FAILED = -32803


async def renamed(session: Session, place: Json, name: str) -> str:
    """The text of the document after a rename."""
    edit = await session.ask_at("rename", place, newName=name)
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": session.document().snapshot.version}
    return session.applied(change["edits"])


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("inside", [0, 1, 2])
async def test_a_value(session: Session, around: str, inside: int) -> None:
    place = session.place(SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", inside)))
    asked = await session.ask_at("prepareRename", place)
    assert session.text_of(asked["range"]) == asked["placeholder"] == "%1"
    before = session.texts[URI]
    head, cut, own = before.rpartition("shader: MESA_SHADER_FRAGMENT")
    # Of equal dumps, only the one under the cursor changes.
    assert await renamed(session, place, "%9") == head + cut + own.replace("%1", "%9")


@pytest.mark.parametrize("around", ["alone", "windows line ends", "in a log"])
async def test_the_older_dialect(session: Session, around: str) -> None:
    place = session.place(SURROUNDINGS[around](marked(CLASSIC, "ssa_1, ssa_0", 2)))
    before = session.texts[URI]
    assert await renamed(session, place, "ssa_9") == before.replace("ssa_1", "ssa_9")


@pytest.mark.parametrize(
    ("dump", "mark", "inside", "name", "old"),
    [(FRAGMENT, "block b1", 7, "b9", "b1"), (CALLING, "call helper", 6, "other", "helper")],
)
async def test_blocks_and_functions(
    session: Session, dump: str, mark: str, inside: int, name: str, old: str
) -> None:
    place = session.place(marked(dump, mark, inside))
    assert await renamed(session, place, name) == session.texts[URI].replace(old, name)


@pytest.mark.parametrize(
    ("mark", "inside", "name", "why"),
    [
        ("%1, %0", 1, "%2", "%2"),
        ("%1, %0", 1, "", ""),
        ("%1, %0", 1, "a name", ""),
        ("%1, %0", 1, "%1\n%2", ""),
        ("%1, %0", 1, "😀", ""),
        ("fadd", 1, "fsub", ""),
        ("/* 😀", 3, "x", "at the cursor"),
    ],
)
async def test_what_cannot_be(session: Session, mark: str, inside: int, name: str, why: str) -> None:
    place = session.place(marked(FRAGMENT, mark, inside))
    with pytest.raises(FailedRequestError) as failed:
        await session.ask_at("rename", place, newName=name)
    assert failed.value.code == REQUEST_FAILED
    assert str(failed.value).endswith(".")
    assert why in str(failed.value)


@pytest.mark.parametrize("text", ["$0", "log$0\n", f"{FRAGMENT}log$0"])
async def test_nothing_to_rename(session: Session, text: str) -> None:
    place = session.place(text)
    assert await session.ask_at("prepareRename", place) is None
    assert await session.ask_at("rename", place, newName="%5") is None


async def test_the_version_is_that_of_the_text(session: Session) -> None:
    session.open(FRAGMENT, version=7)
    session.change("/* 😀 */", "/* 😀😀 */", version=12)
    await renamed(session, session.at("%1, %0"), "%9")
