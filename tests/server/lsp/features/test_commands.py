"""The commands `nirls.runPasses` and `nirls.applyPass` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


from typing import TYPE_CHECKING

from tests.server.lsp.features.dumps import CLASSIC

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session


def edited(session: Session) -> dict[str, str]:
    """The texts of the documents after the edit that the client was asked to make."""
    (asked,) = [one for one in session.told if one["method"] == "workspace/applyEdit"]
    changes: list[dict[str, Any]] = asked["params"]["edit"]["documentChanges"]
    for one in changes:
        document = session.document(one["textDocument"]["uri"])
        assert one["textDocument"]["version"] == document.snapshot.version
    return {
        one["textDocument"]["uri"]: session.applied(one["edits"], one["textDocument"]["uri"])
        for one in changes
    }


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_a_pass_on_the_last_dump(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](FRAGMENT))
    session.replies["workspace/applyEdit"] = {"applied": True}
    number = len(session.document().snapshot.dumps()) - 1
    assert await session.command("nirls.applyPass", URI, number, "opt_dce") is True
    text = edited(session)[URI]
    assert text.count("fmul") == session.texts[URI].count("fmul") - 1
    assert text.count("\r\n") == text.count("\n") or "\r\n" not in text or around.startswith("old mac")


async def test_a_pass_on_two_documents(session: Session) -> None:
    one, other = "file:///p/a.vert.nir", "file:///p/a.frag.nir"
    start, end = STORING.index("@load_input"), STORING.index("\n                @store_output")
    session.place(f"{STORING[:start]}fneg %1{STORING[end:]}", one, 3)
    session.place(LOADING, other, 8)
    session.replies["workspace/applyEdit"] = {"applied": True}
    assert await session.command("nirls.applyPass", other, 0, "opt_varyings") is True
    texts = edited(session)
    assert set(texts) == {one, other}
    assert "VAR0" not in texts[one] + texts[other]


@pytest.mark.parametrize(
    "arguments",
    [
        (URI, 0, "no_such_pass"),
        (URI, 5, "opt_dce"),
        ("file:///nobody/opened.nir", 0, "opt_dce"),
        (URI, 0, "opt_varyings"),
    ],
)
async def test_nothing_to_apply(
    session: Session, arguments: tuple[object, ...], caplog: pytest.LogCaptureFixture
) -> None:
    session.place(FRAGMENT)
    assert await session.command("nirls.applyPass", *arguments) is False
    assert session.told == []
    caplog.clear()


@pytest.mark.parametrize("arguments", [(), (URI,), (URI, None, None), (URI, 0, "opt_dce", "too", "many")])
async def test_arguments_that_are_none_of_a_pass(session: Session, arguments: tuple[object, ...]) -> None:
    session.place(FRAGMENT)
    with pytest.raises(FailedRequestError, match=r"ApplyPass: |arguments for uri, dump, pass_name"):
        await session.command("nirls.applyPass", *arguments)
    assert session.told == []


async def test_a_client_that_refuses_the_edit(session: Session) -> None:
    session.place(FRAGMENT)
    session.replies["workspace/applyEdit"] = {"applied": False}
    assert await session.command("nirls.applyPass", URI, 0, "opt_dce") is False


async def test_an_unknown_command(session: Session) -> None:
    with pytest.raises(FailedRequestError):
        await session.command("nirls.noSuchCommand")


async def test_passes_run_on_demand(session: Session) -> None:
    session.place(STORING + LOADING.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR3"))
    assert session.document().pass_findings == {}
    await session.command("nirls.runPasses", URI)
    assert session.document().pass_findings
    await session.command("nirls.runPasses")
    await session.command("nirls.runPasses", "file:///nobody/opened.nir")


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


@pytest.mark.parametrize("arguments", [("file:///nobody/opened.nir",), (URI, 99)])
async def test_no_such_dump(session: Session, arguments: tuple[object, ...]) -> None:
    session.place(CROOKED)
    assert await session.command("nirls.renumber", *arguments) is False
    assert session.told == []


@pytest.mark.parametrize("arguments", [(), (URI, "x"), (3,), (None,)])
async def test_odd_arguments(session: Session, arguments: tuple[object, ...]) -> None:
    session.place(CROOKED)
    with pytest.raises(FailedRequestError, match="Renumber: "):
        await session.command("nirls.renumber", *arguments)
    assert session.told == []


async def test_a_number_that_is_defined_twice(session: Session) -> None:
    session.place(FRAGMENT + CROOKED.replace("%2", "%0"))
    with pytest.raises(FailedRequestError, match="Dump 2 cannot be renumbered"):
        await session.command("nirls.renumber", URI)
