"""`nirls/registerPressure` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nirls.server.ide.history.snapshot_pressure import pressures_of
from tests.server.lsp.features.dumps import FRAGMENT, LOADING

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def test_the_pressure_of_the_dumps_asked_for(session: Session) -> None:
    session.place(FRAGMENT + LOADING + FRAGMENT)
    expected = pressures_of([FRAGMENT.encode(), LOADING.encode()])
    found = await session.ask_about("nirls/registerPressure", dumps=[2, 1, 9, -1])
    assert found == {"pressures": {"2": expected[0], "1": expected[1]}}
    assert await session.ask_about("nirls/registerPressure", dumps=[2, 1]) == found


async def test_a_request_is_bounded(session: Session) -> None:
    session.place(FRAGMENT * 40)
    found = await session.ask_about("nirls/registerPressure", dumps=list(range(40)))
    assert len(found["pressures"]) == 32


async def test_unknown_documents(session: Session) -> None:
    assert await session.ask_about("nirls/registerPressure", "file:///x", dumps=[0]) == {"pressures": {}}
