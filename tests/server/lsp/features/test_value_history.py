"""`nirls/valueHistory`, `nirls/blame` and `nirls/touchingPasses` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, THREE_SNAPSHOTS

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def events(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["pass"], entry["event"]) for entry in found["entries"]]


async def test_a_value_is_followed_by_number_or_from_the_cursor(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    expected = [("nir_lower_returns", "in first dump"), ("nir_copy_prop", "rewritten")]
    found = await session.ask_about("nirls/valueHistory", dump=2, value="%3")
    assert events(found) == expected
    assert found["numbers"] == {"0": 4, "1": 4, "2": 3}
    for place in (session.at("%4 ="), session.at("iadd")):
        assert await session.ask_about("nirls/valueHistory", position=place) == {**found, "value": "%4"}


async def test_a_removed_value_and_lines_of_the_log(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    found = await session.ask_about("nirls/valueHistory", dump=0, value="%3")
    assert events(found)[-1] == ("nir_opt_dce", "removed")
    lines = THREE_SNAPSHOTS.split("\n")
    assert all(lines[entry["line"]].split() == entry["text"].split() for entry in found["entries"])


@pytest.mark.parametrize("wanted", [{"dump": 9, "value": "%3"}, {"dump": 0, "value": "%77"}])
async def test_what_is_not_there(session: Session, wanted: dict[str, object]) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/valueHistory", **wanted) is None
    assert await session.ask_about("nirls/valueHistory", "file:///nowhere", **wanted) is None


async def test_there_is_no_value_outside_of_dumps(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/valueHistory", position=session.at("nir_lower_returns")) is None


async def test_blame_of_a_dump_and_of_the_last_one(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    last = await session.ask_about("nirls/blame", position=session.at("nir_copy_prop\nshader", 20), last=True)
    assert last["dump"] == 2
    lines = THREE_SNAPSHOTS.split("\n")
    assert all(lines[one["line"]].split() == one["text"].split() for one in last["lines"])
    assert [(one["pass"], one["event"]) for one in last["lines"]][-2:] == [
        ("nir_copy_prop", "rewritten"),
        ("nir_lower_returns", "in first dump"),
    ]
    assert lines[last["firstLine"]] == "shader: MESA_SHADER_VERTEX"
    first = await session.ask_about("nirls/blame", dump=0)
    assert {one["pass"] for one in first["lines"]} == {"nir_lower_returns"}


async def test_there_is_no_blame_outside_of_dumps(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/blame", position=session.at("nir_lower_returns")) is None


async def test_a_single_snapshot_has_no_passes_to_blame(session: Session) -> None:
    session.place("log\n" + FRAGMENT)
    assert await session.ask_about("nirls/blame", dump=0) == {"dump": 0, "firstLine": 1, "lines": []}


async def test_passes_that_touch(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/touchingPasses", dump=2, what="%3") == {"dumps": [1]}
    assert await session.ask_about("nirls/touchingPasses", dump=2, what="mov") == {"dumps": [2]}
    for what in ("%77", "VAR9", ""):
        assert await session.ask_about("nirls/touchingPasses", dump=2, what=what) == {"dumps": []}


async def test_no_passes_touch_a_value_outside_of_dumps(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    outside = session.at("nir_lower_returns")
    assert await session.ask_about("nirls/touchingPasses", position=outside, what="%3") == {"dumps": []}
    assert await session.ask_about("nirls/touchingPasses", dump=3, what="%3") == {"dumps": []}
