"""Code lenses that name the pass that changed lines last."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.ide.history.code_changes import CodeChange
from nirls.server.lsp.client import Client
from nirls.server.lsp.features.verification import verifier_of
from tests.server.lsp.features.dumps import THREE_SNAPSHOTS
from tests.server.lsp.features.session import URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

CONTENT_MODIFIED = -32801
Match = Callable[[bytes, bytes], CodeChange]
SETTINGS = {"settings": {"nirls": {"codeLens": {"blame": True}}}}
REFRESH = "workspace/codeLens/refresh"
SHADERS = [
    THREE_SNAPSHOTS.replace("VERTEX\n", f"VERTEX\nname: {name}\n").replace("iadd", name)
    for name in ("imul", "isub", "ixor")
]


async def lenses(session: Session) -> list[str]:
    """The titles of the lenses that name a pass."""
    found = [one for one in await session.ask_about("textDocument/codeLens") if "command" in one]
    return [title for one in found if "(pass " in (title := one["command"]["title"])]


async def refreshed(session: Session, count: int) -> None:
    """Wait until the server has asked so many times for a refresh."""
    for _ in range(1000):
        if session.methods_told().count(REFRESH) >= count:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(session.methods_told())


def start(session: Session) -> None:
    session.server.client = Client(refreshes_lenses=True)
    session.notify("workspace/didChangeConfiguration", SETTINGS)


async def test_code_lenses_are_opt_in(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    await session.ask_about("nirls/blame", dump=2)
    assert "(pass 2)" not in str(await session.ask_about("textDocument/codeLens"))


async def test_a_code_lens_for_each_run_of_lines(session: Session) -> None:
    session.server.client = Client(refreshes_lenses=True, commands=frozenset(("nirls.showTimeline",)))
    session.notify("workspace/didChangeConfiguration", SETTINGS)
    session.place(THREE_SNAPSHOTS)
    await session.ask_about("nirls/blame", dump=2)
    found = [one for one in await session.ask_about("textDocument/codeLens") if "command" in one]
    blamed = [one for one in found if "(pass " in one["command"]["title"]]
    assert [one["command"]["title"] for one in blamed] == [
        "unchanged since nir_lower_returns (pass 1)",
        "rewritten by nir_copy_prop (pass 2)",
        "unchanged since nir_lower_returns (pass 1)",
    ]
    assert blamed[1]["command"]["command"] == "nirls.showTimeline"
    assert blamed[1]["command"]["arguments"] == [URI, 1]
    assert THREE_SNAPSHOTS.split("\n")[blamed[1]["range"]["start"]["line"]].split()[3] == "iadd"


async def test_lenses_come_later_if_nothing_is_matched_yet(session: Session) -> None:
    start(session)
    session.place(THREE_SNAPSHOTS)
    assert await lenses(session) == []
    await refreshed(session, 1)
    assert len(await lenses(session)) == 3


async def test_a_history_is_computed_once_however_often_lenses_are_requested(session: Session) -> None:
    start(session)
    session.place("".join(SHADERS))
    for _ in range(3):
        await lenses(session)
    for count in (1, 2, 3):
        await refreshed(session, count)
        assert len(await lenses(session)) >= 3 * count
    await asyncio.sleep(0.2)
    assert session.methods_told().count(REFRESH) == 3


async def test_a_history_that_fails_leaves_the_lenses_of_other_shaders(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_worker = session.server.in_worker

    async def failing(seconds: float, match: Match, before: bytes, after: bytes) -> CodeChange:
        if b"imul" in before:
            raise JobFailedError(Cause.TIME)
        return await in_worker(seconds, match, before, after)

    monkeypatch.setattr(session.server, "in_worker", failing)
    start(session)
    session.place("".join(SHADERS))
    assert await lenses(session) == []
    await refreshed(session, 2)
    assert len(await lenses(session)) == 6


async def test_an_edit_ends_the_request(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    verifier, has_changed = verifier_of(session.server), threading.Event()
    log = verifier.log

    def log_after_the_edit(document: Document, snapshot: Snapshot) -> ReadLog:
        assert has_changed.wait(20)
        return log(document, snapshot)

    monkeypatch.setattr(verifier, "log", log_after_the_edit)
    start(session)
    session.open(THREE_SNAPSHOTS)
    asked = session.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
    await asyncio.sleep(0)
    session.change("nir_lower_returns\n", "nir_lower_returns\nlog\n")
    has_changed.set()
    with pytest.raises(FailedRequestError) as failed:
        await session.answer(asked)
    assert failed.value.code == CONTENT_MODIFIED


async def test_lenses_come_again_after_an_edit(session: Session) -> None:
    start(session)
    session.open(THREE_SNAPSHOTS)
    for count, (old, new) in enumerate((("iadd", "isub"), ("mov", "ineg")), 1):
        assert await lenses(session) == []
        await refreshed(session, count)
        assert len(await lenses(session)) == 3
        session.change(old, new)
