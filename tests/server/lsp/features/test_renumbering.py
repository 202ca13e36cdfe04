"""The command `nirls.renumber` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import CLASSIC, FRAGMENT
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

CROOKED = FRAGMENT.replace("%1", "%71").replace("b1", "b9")


def edit_of(session: Session) -> Json:
    """The one edit that the client was asked to make."""
    (asked,) = [one for one in session.told if one["method"] == "workspace/applyEdit"]
    (change,) = asked["params"]["edit"]["documentChanges"]
    assert asked["params"]["label"] == "Renumber"
    assert change["textDocument"] == {"uri": URI, "version": session.document().snapshot.version}
    found: Json = change
    return found


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_all_dumps(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](CROOKED))
    session.replies["workspace/applyEdit"] = {"applied": True}
    assert await session.command("nirls.renumber", URI) is True
    text = session.applied(edit_of(session)["edits"])
    assert "%71" not in text
    assert text.count("%1 = fadd") == text.count("fmul %1,") == session.texts[URI].count("shader: MESA")


async def test_one_dump(session: Session) -> None:
    session.place(CROOKED + "log\n" + CROOKED)
    session.replies["workspace/applyEdit"] = {"applied": True}
    assert await session.command("nirls.renumber", URI, 1) is True
    text = session.applied(edit_of(session)["edits"])
    assert text.startswith(CROOKED)
    assert text.count("%71") == CROOKED.count("%71")


async def test_a_client_that_refuses(session: Session) -> None:
    """It has another version of the text by now."""
    session.place(CROOKED)
    session.replies["workspace/applyEdit"] = {"applied": False, "failureReason": "the document changed"}
    assert await session.command("nirls.renumber", URI) is False


@pytest.mark.parametrize("text", ["", "log", FRAGMENT, CLASSIC])
async def test_nothing_to_do(session: Session, text: str) -> None:
    session.place(text)
    assert await session.command("nirls.renumber", URI) is False
    assert session.told == []


@pytest.mark.parametrize(
    "arguments", [(), ("file:///nobody/opened.nir",), (URI, 99), (URI, "x"), (3,), (None,)]
)
async def test_odd_arguments(session: Session, arguments: tuple[object, ...]) -> None:
    session.place(CROOKED)
    assert await session.command("nirls.renumber", *arguments) is False
    assert session.told == []


async def test_a_number_that_is_defined_twice(session: Session) -> None:
    session.place(FRAGMENT + CROOKED.replace("%2", "%0"))
    with pytest.raises(FailedRequestError, match="Dump 2 cannot be renumbered"):
        await session.command("nirls.renumber", URI)
