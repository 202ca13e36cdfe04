"""`nirls/touchingPasses` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.server.lsp.features.dumps import THREE_SNAPSHOTS

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


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
