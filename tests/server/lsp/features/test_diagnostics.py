"""Who gets which diagnostics when: pushed or pulled, while somebody types and when that pauses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from nirls.server.engine.base import timing
from nirls.server.engine.checks import check_scheduler
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers import diagnostics_while_typing
from nirls.server.lsp.features import diagnostics
from nirls.server.lsp.language_server import make_server
from tests.server.lsp.features.session import URI, Session
from tests.server.turns import counted_turns
from tools.synthetic import fragment_dump, vertex_dump

PULLS = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"dataSupport": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
NAMED = [fragment_dump(60, seed).replace("\n", f"\nname: GLSL{seed}\n", 1) for seed in range(30)]
TEXT = "log\n".join(re.sub(r"(fadd %\d+), %\d+", r"\1", dump) for dump in NAMED)
PAIR = f"{vertex_dump(30)}\nbetween\n{fragment_dump(30)}"
PUSHED, REFRESH = "textDocument/publishDiagnostics", "workspace/diagnostic/refresh"


@pytest.fixture(autouse=True)
def _short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostics, "PAUSE", 0.05)


@pytest_asyncio.fixture
async def pulling() -> AsyncIterator[Session]:
    """A session with a client that pulls its diagnostics."""
    made = Session(make_server(new_worker=InlineWorker))
    await made.start(PULLS)
    yield made
    made.server.shutdown()


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


def pushed(session: Session) -> list[int]:
    """How many diagnostics came with each push."""
    return [len(one["params"]["diagnostics"]) for one in session.told if one["method"] == PUSHED]


async def pull(session: Session, previous: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = await session.ask_about("diagnostic", previousResultId=previous)
    return found


async def opened(session: Session) -> int:
    """A document of which everything is known; how many findings that is."""
    session.open(TEXT)
    await session.passes_have_run()
    await until(lambda: not session.server.announcer.waits_for_pause(session.document()))
    count = sum(
        len(session.document().state(one).problems or ()) for one in session.document().snapshot.pieces
    )
    assert count > 4 * diagnostics_while_typing.FEW
    return count


async def test_all_are_pushed_when_typing_pauses(session: Session) -> None:
    count = await opened(session)
    assert pushed(session)[-1] == count
    session.told.clear()
    session.change("log\n", "llog\n")
    await until(lambda: bool(pushed(session)))
    assert pushed(session)[0] < count / 2
    await until(lambda: len(pushed(session)) > 1)
    assert pushed(session)[1:] == [count]


async def test_a_document_that_is_closed_while_somebody_types_stays_empty(session: Session) -> None:
    await opened(session)
    session.change("log\n", "llog\n")
    session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    await asyncio.sleep(0.1)
    assert pushed(session)[-1] == 0


async def test_who_pulls_is_asked_to_do_so_again_when_typing_pauses(
    pulling: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a loaded machine too, the edit is checked at once and the pull after it comes before the pause.
    monkeypatch.setattr(check_scheduler, "EDIT_BUDGET", 60.0)
    monkeypatch.setattr(diagnostics, "PAUSE", 2.0)
    count = await opened(pulling)
    before = await pull(pulling)
    assert len(before["items"]) == count
    assert (await pull(pulling, before["resultId"]))["kind"] == "unchanged"
    pulling.told.clear()
    pulling.change("log\n", "llog\n")
    short = await pull(pulling, before["resultId"])
    assert len(short["items"]) < count / 2
    assert pulling.methods_told() == []
    await until(lambda: REFRESH in pulling.methods_told())
    after = await pull(pulling, short["resultId"])
    assert len(after["items"]) == count
    assert PUSHED not in pulling.methods_told()


async def test_a_few_are_told_at_once_and_once(session: Session) -> None:
    text = re.sub(r"(fadd %\d+), %\d+", r"\1", fragment_dump(60))
    session.open(text)
    await session.passes_have_run()
    count = pushed(session)[-1]
    session.told.clear()
    session.change("shader:", "a log\nshader:")
    await until(lambda: bool(pushed(session)))
    await asyncio.sleep(0.1)
    assert pushed(session) == [count]


@pytest.mark.parametrize(("text", "expected"), [(TEXT, 0), (PAIR, 1)])
async def test_fixes_are_prepared_when_findings_have_some(
    session: Session, monkeypatch: pytest.MonkeyPatch, text: str, expected: int
) -> None:
    prepared: list[int] = []
    monkeypatch.setattr(session.server.fixer, "prepare", lambda: prepared.append(1))
    session.open(text)
    await session.passes_have_run()
    assert min(len(prepared), 1) == expected


async def test_others_have_turns_while_many_are_pushed(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = await opened(session)
    monkeypatch.setattr(timing, "SLICE", 0.0)
    session.told.clear()
    async with counted_turns() as turns:
        await session.server.announcer.publish(session.document())
    assert turns() >= count
    assert pushed(session) == [count]


@pytest.mark.parametrize("change", [True, False])
async def test_what_is_outdated_when_it_is_encoded_is_not_pushed(
    session: Session, monkeypatch: pytest.MonkeyPatch, change: bool
) -> None:
    count = await opened(session)
    monkeypatch.setattr(timing, "SLICE", 0.0)
    session.told.clear()
    outdated = asyncio.create_task(session.server.announcer.publish(session.document()))
    await asyncio.sleep(0)
    if change:
        session.change("log\n", "llog\n")
    else:
        await session.server.announcer.publish(session.document())
    await outdated
    await until(lambda: count in pushed(session))
    assert pushed(session).count(count) == 1
    versions = [one["params"]["version"] for one in session.told if one["method"] == PUSHED]
    assert set(versions) == {session.document().snapshot.version}
