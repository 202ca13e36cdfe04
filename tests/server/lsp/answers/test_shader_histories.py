"""Histories of shaders: matched on demand, cached by content."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pygls.exceptions import JsonRpcContentModified

from nirls.server.ide.history.code_changes import CodeChange
from nirls.server.lsp.answers.shader_histories import histories_of
from tests.server.lsp.features.dumps import THREE_SNAPSHOTS
from tests.server.lsp.features.session import URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

Match = Callable[[bytes, bytes], CodeChange]


async def test_only_pairs_with_a_changed_snapshot_are_matched_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    matched: list[bytes] = []
    in_worker = session.server.in_worker

    async def counted(seconds: float, match: Match, before: bytes, after: bytes) -> CodeChange:
        matched.append(after)
        return await in_worker(seconds, match, before, after)

    monkeypatch.setattr(session.server, "in_worker", counted)
    session.place(THREE_SNAPSHOTS)
    histories, document = histories_of(session.server), session.document()
    for dump in (0, 2):
        await histories.of(document, dump)
    assert len(matched) == 2
    session.place(THREE_SNAPSHOTS.replace("nir_opt_dce\n", "nir_opt_dce\nlog\n"))
    session.change("(%3, ", "(%2, ")
    history = await histories.of(session.document(), 0)
    assert history is not None
    assert len(matched) == 3
    assert b"(%2, " in matched[2]


async def test_an_unknown_dump_has_no_history(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await histories_of(session.server).of(session.document(), 3) is None


async def test_a_history_that_takes_longer_is_there_for_a_later_request(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_match = asyncio.Event()
    count = 0
    in_worker = session.server.in_worker

    async def slow(seconds: float, match: Match, before: bytes, after: bytes) -> CodeChange:
        nonlocal count
        count += 1
        await may_match.wait()
        return await in_worker(seconds, match, before, after)

    monkeypatch.setattr(session.server, "in_worker", slow)
    session.place(THREE_SNAPSHOTS)
    histories, document = histories_of(session.server), session.document()
    assert await histories.soon(document, 2, 0.01) is None
    may_match.set()
    history = await histories.soon(document, 2, 30)
    assert history is not None
    assert history.last == 2
    assert count == 2


async def test_soon_has_no_history_if_matching_fails(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: object) -> CodeChange:
        raise RuntimeError

    monkeypatch.setattr(session.server, "in_worker", failing)
    session.place(THREE_SNAPSHOTS)
    assert await histories_of(session.server).soon(session.document(), 2, 30) is None


async def test_progress_of_a_long_history(session: Session) -> None:
    session.place(
        THREE_SNAPSHOTS + THREE_SNAPSHOTS.replace("iadd", "imul") + THREE_SNAPSHOTS.replace("iadd", "isub")
    )
    await session.ask_about("nirls/blame", dump=0, workDoneToken="t")
    kinds = [one["params"]["value"]["kind"] for one in session.told if one["method"] == "$/progress"]
    assert (kinds[0], kinds[-1], kinds.count("report")) == ("begin", "end", 8)


async def test_a_known_history_does_not_wait_for_another_one(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = asyncio.Event()

    async def endless(*_: object) -> CodeChange:
        await never.wait()
        raise AssertionError

    session.place(THREE_SNAPSHOTS)
    session.place(THREE_SNAPSHOTS.replace("iadd", "isub"), "untitled:b")
    histories = histories_of(session.server)
    await histories.of(session.document(), 0)
    monkeypatch.setattr(session.server, "in_worker", endless)
    assert await histories.soon(session.document("untitled:b"), 0, 0.01) is None
    assert await histories.soon(session.document(), 0, 30) is not None


async def test_an_edit_ends_the_matching(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    matched = 0
    in_worker = session.server.in_worker

    async def editing(seconds: float, match: Match, before: bytes, after: bytes) -> CodeChange:
        nonlocal matched
        matched += 1
        session.change("iadd", "isub")
        return await in_worker(seconds, match, before, after)

    monkeypatch.setattr(session.server, "in_worker", editing)
    session.open(THREE_SNAPSHOTS)
    with pytest.raises(JsonRpcContentModified):
        await histories_of(session.server).of(session.document(), 2)
    assert matched == 1


async def test_an_edit_ends_the_request(session: Session) -> None:
    session.open(THREE_SNAPSHOTS)
    asked = session.request("nirls/blame", {"textDocument": {"uri": URI}, "dump": 2})
    await asyncio.sleep(0)
    session.change("iadd", "isub")
    with pytest.raises(FailedRequestError):
        await session.answer(asked)
