"""`nirls/valueHistory`, `nirls/blame` and `nirls/touchingPasses` over the protocol."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.lsp.client import Client
from tests.passes.shader_text import ONE, ZERO, shader_text, store
from tests.server.lsp.features.session import URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

ID = "32    %2 = @load_vertex_id"
COPIED = (ZERO, ONE, ID, "32    %3 = mov %2", "32    %4 = iadd %3, %1 (0x1)", store("VAR1", "%4"))
DIRECT = (*COPIED[:4], "32    %4 = iadd %2, %1 (0x1)", store("VAR1", "%4"))
SHORT = (ZERO, ONE, ID, "32    %3 = iadd %2, %1 (0x1)", store("VAR1", "%3"))
LOG = "".join(
    f"{name}\n{shader_text('VERTEX', *lines)}"
    for name, lines in (("nir_lower_returns", COPIED), ("nir_copy_prop", DIRECT), ("nir_opt_dce", SHORT))
)


def events(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["pass"], entry["event"]) for entry in found["entries"]]


async def test_a_value_is_followed_by_number_or_from_the_cursor(session: Session) -> None:
    session.place(LOG)
    expected = [("nir_lower_returns", "first"), ("nir_copy_prop", "rewritten")]
    found = await session.ask_about("nirls/valueHistory", dump=2, value="%3")
    assert events(found) == expected
    assert found["numbers"] == {"0": 4, "1": 4, "2": 3}
    for place in (session.at("%4 ="), session.at("iadd")):
        assert await session.ask_about("nirls/valueHistory", position=place) == {**found, "value": "%4"}


async def test_a_removed_value_and_lines_of_the_log(session: Session) -> None:
    session.place(LOG)
    found = await session.ask_about("nirls/valueHistory", dump=0, value="%3")
    assert events(found)[-1] == ("nir_opt_dce", "removed")
    lines = LOG.split("\n")
    assert all(lines[entry["line"]].split() == entry["text"].split() for entry in found["entries"])


@pytest.mark.parametrize("wanted", [{"dump": 9, "value": "%3"}, {"dump": 0, "value": "%77"}])
async def test_what_is_not_there(session: Session, wanted: dict[str, object]) -> None:
    session.place(LOG)
    assert await session.ask_about("nirls/valueHistory", **wanted) is None
    assert await session.ask_about("nirls/valueHistory", "file:///nowhere", **wanted) is None


async def test_outside_of_dumps(session: Session) -> None:
    session.place(LOG)
    for method in ("nirls/valueHistory", "nirls/blame"):
        assert await session.ask_about(method, position=session.at("nir_lower_returns")) is None


async def test_blame_of_a_dump_and_of_the_last_one(session: Session) -> None:
    session.place(LOG)
    last = await session.ask_about("nirls/blame", position=session.at("nir_copy_prop\nshader", 20), last=True)
    assert last["dump"] == 2
    lines = LOG.split("\n")
    assert all(lines[one["line"]].split() == one["text"].split() for one in last["lines"])
    assert [(one["pass"], one["event"]) for one in last["lines"]][-2:] == [
        ("nir_copy_prop", "rewritten"),
        ("nir_lower_returns", "first"),
    ]
    first = await session.ask_about("nirls/blame", dump=0)
    assert {one["pass"] for one in first["lines"]} == {"nir_lower_returns"}


async def test_passes_that_touch(session: Session) -> None:
    session.place(LOG)
    assert await session.ask_about("nirls/touchingPasses", dump=2, what="%3") == {"dumps": [1]}
    assert await session.ask_about("nirls/touchingPasses", dump=2, what="mov") == {"dumps": [2]}
    for what in ("%77", "VAR9", ""):
        assert await session.ask_about("nirls/touchingPasses", dump=2, what=what) == {"dumps": []}


async def test_progress_of_a_long_history(session: Session) -> None:
    session.place(LOG + LOG.replace("iadd", "imul") + LOG.replace("iadd", "isub"))
    await session.ask_about("nirls/blame", dump=0, workDoneToken="t")
    kinds = [one["params"]["value"]["kind"] for one in session.told if one["method"] == "$/progress"]
    assert (kinds[0], kinds[-1], kinds.count("report")) == ("begin", "end", 8)


async def test_an_edit_ends_the_request(session: Session) -> None:
    session.open(LOG)
    asked = session.request("nirls/blame", {"textDocument": {"uri": URI}, "dump": 2})
    await asyncio.sleep(0)
    session.change("iadd", "isub")
    with pytest.raises(FailedRequestError):
        await session.answer(asked)


async def test_the_hover_names_the_pass(session: Session) -> None:
    session.place(LOG)
    await session.ask_about("nirls/blame", dump=2)
    place = {"line": LOG[: LOG.rindex("iadd")].count("\n"), "character": 17}
    text = (await session.ask_about("textDocument/hover", position=place))["contents"]["value"]
    assert "Passes: in the first snapshot, last rewritten by nir_copy_prop (pass 2)" in text


async def test_code_lenses_are_opt_in(session: Session) -> None:
    session.place(LOG)
    await session.ask_about("nirls/blame", dump=2)
    assert "(pass 2)" not in str(await session.ask_about("textDocument/codeLens"))


async def test_a_code_lens_for_each_run_of_lines(session: Session) -> None:
    session.server.client = Client(refreshes_lenses=True, commands=frozenset(("nirls.showTimeline",)))
    settings = {"nirls": {"codeLens": {"blame": True}}}
    session.notify("workspace/didChangeConfiguration", {"settings": settings})
    session.place(LOG)
    await session.ask_about("nirls/blame", dump=2)
    lenses = [one for one in await session.ask_about("textDocument/codeLens") if "command" in one]
    blamed = [one for one in lenses if "(pass " in one["command"]["title"]]
    assert [one["command"]["title"] for one in blamed] == [
        "unchanged since nir_lower_returns (pass 1)",
        "rewritten by nir_copy_prop (pass 2)",
        "unchanged since nir_lower_returns (pass 1)",
    ]
    assert blamed[1]["command"]["command"] == "nirls.showTimeline"
    assert blamed[1]["command"]["arguments"] == [URI, 1]
    assert LOG.split("\n")[blamed[1]["range"]["start"]["line"]].split()[3] == "iadd"


async def test_lenses_come_later_if_nothing_is_matched_yet(session: Session) -> None:
    session.server.client = Client(refreshes_lenses=True)
    session.notify("workspace/didChangeConfiguration", {"settings": {"nirls": {"codeLens": {"blame": True}}}})
    session.place(LOG)
    assert not [one for one in await session.ask_about("textDocument/codeLens") if "(pass" in str(one)]
    for _ in range(200):
        if any(one["method"] == "workspace/codeLens/refresh" for one in session.told):
            break
        await asyncio.sleep(0.05)
    assert [one for one in await session.ask_about("textDocument/codeLens") if "(pass" in str(one)]
