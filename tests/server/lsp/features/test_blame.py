"""`nirls/blame` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.server.lsp.features.dumps import FRAGMENT, THREE_SNAPSHOTS

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def test_blame_of_a_dump_and_of_the_last_one(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    last = await session.ask_about("nirls/blame", position=session.at("nir_copy_prop\nshader", 20), last=True)
    assert last["dump"] == 2
    lines = THREE_SNAPSHOTS.split("\n")
    assert all(lines[one["line"]].split() == one["text"].split() for one in last["lines"])
    assert [(one["pass"], one["event"]) for one in last["lines"]][-2:] == [
        ("nir_copy_prop", "rewritten"),
        ("nir_lower_returns", "first"),
    ]
    assert lines[last["firstLine"]] == "shader: MESA_SHADER_VERTEX"
    first = await session.ask_about("nirls/blame", dump=0)
    assert {one["pass"] for one in first["lines"]} == {"nir_lower_returns"}


async def test_outside_of_dumps(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/blame", position=session.at("nir_lower_returns")) is None


async def test_a_single_snapshot_has_no_passes_to_blame(session: Session) -> None:
    session.place("log\n" + FRAGMENT)
    assert await session.ask_about("nirls/blame", dump=0) == {"dump": 0, "firstLine": 1, "lines": []}
