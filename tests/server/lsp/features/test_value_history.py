"""`nirls/valueHistory` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import THREE_SNAPSHOTS

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def events(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["pass"], entry["event"]) for entry in found["entries"]]


async def test_a_value_is_followed_by_number_or_from_the_cursor(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    expected = [("nir_lower_returns", "first"), ("nir_copy_prop", "rewritten")]
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


async def test_outside_of_dumps(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await session.ask_about("nirls/valueHistory", position=session.at("nir_lower_returns")) is None
