"""Inlay hints over the protocol: where they stand, when they change, and what they show when asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from tests.server.lsp.features.dumps import CLASSIC, FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

CONTENT_MODIFIED = -32801
ALL = {"inlayHints": {"constants": True, "convergence": True, "varyings": True}}


def use(session: Session, section: Json) -> None:
    session.server.analyzers.use_settings(FolderSettings(ClientSettings.of(section)))


def whole(lines: int = 10**6) -> Json:
    return {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}


async def hints(session: Session, range_: Json | None = None, uri: str = URI) -> list[tuple[str, str]]:
    """Each hint with the text of its line up to it."""
    found = await session.ask_about("inlayHint", uri, range=range_ or whole())
    return [(label(one), ahead(session, one, uri)) for one in found]


def label(hint: Json) -> str:
    given = hint["label"]
    return given if isinstance(given, str) else "".join(part["value"] for part in given)


def ahead(session: Session, hint: Json, uri: str = URI) -> str:
    place = hint["position"]
    start = {"line": place["line"], "character": 0}
    return session.text_of({"start": start, "end": place}, uri)


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_constants_of_an_older_dialect(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](CLASSIC))
    found = await hints(session)
    assert found
    assert all(text.endswith("ssa_0") for _, text in found)
    assert {one for one, _ in found} == {found[0][0]}


async def test_each_kind_can_be_turned_off(session: Session) -> None:
    session.place(STORING + LOADING + CLASSIC)
    use(session, ALL)
    every = await hints(session)
    parts = []
    for name in ("constants", "convergence", "varyings"):
        only = {"inlayHints": {one: one == name for one in ("constants", "convergence", "varyings")}}
        use(session, only)
        parts += await hints(session)
    assert sorted(parts) == sorted(every)
    use(session, {"inlayHints": dict.fromkeys(("constants", "convergence", "varyings"), False)})
    assert await hints(session) == []


async def test_lines_asked_for(session: Session) -> None:
    session.place(CLASSIC + "\n" + CLASSIC)
    line = session.at("ssa_1 = fadd")["line"]
    found = await session.ask_about(
        "inlayHint",
        range={"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}},
    )
    assert {one["position"]["line"] for one in found} == {line}
    assert (
        await hints(
            session, {"start": {"line": 10**6, "character": 0}, "end": {"line": 10**7, "character": 0}}
        )
        == []
    )


async def test_a_varying_and_what_it_shows(session: Session) -> None:
    session.place(STORING + "😀\n" + LOADING)
    found = await session.ask_about("inlayHint", range=whole())
    load = next(one for one in found if "%7 = @load_input" in ahead(session, one))
    assert "VS" in label(load)
    location = load["label"][0]["location"]
    assert session.text_of(location["range"]).lstrip().startswith("@store_output (%2")
    resolved = await session.ask("inlayHint/resolve", load)
    assert "@store_output (%2" in resolved["tooltip"]["value"]


async def test_a_hint_that_is_resolved_after_an_edit(session: Session) -> None:
    """What is shown is the text that is there now, or nothing."""
    session.open(STORING + "😀\n" + LOADING)
    found = await session.ask_about("inlayHint", range=whole())
    load = next(one for one in found if "%7 = @load_input" in ahead(session, one))
    session.change("impl main {", "impl main {\n// a line that was not there when the hint was made")
    resolved = await session.ask("inlayHint/resolve", load)
    shown = resolved.get("tooltip", {}).get("value", "")
    assert not shown or "@store_output (%2" in shown


async def test_convergence(session: Session) -> None:
    session.place(FRAGMENT)
    use(session, ALL)
    found = [
        one for one in await session.ask_about("inlayHint", range=whole()) if label(one) in ("con", "div")
    ]
    assert len(found) == 3
    resolved = await session.ask("inlayHint/resolve", found[0])
    assert "convergent" in resolved["tooltip"]["value"]


@pytest.mark.parametrize(
    "data", [None, 3, {}, {"uri": URI}, {"ends": [{}]}, {"uri": URI, "slot": "x"}, {"ends": 3}]
)
async def test_data_of_others(session: Session, data: object, caplog: pytest.LogCaptureFixture) -> None:
    session.place(FRAGMENT)
    hint = {"position": {"line": 0, "character": 0}, "label": "x", "data": data}
    resolved = await session.ask("inlayHint/resolve", hint)
    assert resolved is None or "tooltip" not in resolved
    caplog.clear()


@pytest.mark.parametrize("text", ["", "\n", "a log", "shader: MESA_SHADER_FRAGMENT"])
async def test_nothing_to_say(session: Session, text: str) -> None:
    session.place(text)
    assert await hints(session) == []


async def test_a_text_that_changes_meanwhile(session: Session) -> None:
    session.place(CLASSIC * 3)
    asked = session.request("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": whole()})
    await asyncio.sleep(0)
    session.change("fmul", "fsub")
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == CONTENT_MODIFIED


async def test_a_request_that_is_taken_back(session: Session) -> None:
    session.place(CLASSIC * 50)
    asked = session.request("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": whole()})
    session.cancel(asked)
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == -32800
