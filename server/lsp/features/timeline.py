"""The requests `nirls/timeline` for the passes of a log, and `nirls/snapshotDiff` for two snapshots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from nirls.server.engine.document import Snapshot
from nirls.server.engine.dump_state import DumpState
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.workspace import Document
from nirls.server.lsp.features.verification import verifier_of
from nirls.server.lsp.nirls_server import NirlsServer

TIMELINE = "nirls/timeline"
SNAPSHOT_DIFF = "nirls/snapshotDiff"

_DUMPS_AT_ONCE = 64
_LONGEST_DIFF = 30.0
"""Time limit for the texts of two snapshots in seconds."""


def register(server: NirlsServer) -> None:
    """Declare the handlers."""

    @server.handler(TIMELINE, otherwise={"version": 0, "shaders": []}, reads_text=True)
    async def timeline(params: Any) -> dict[str, Any]:
        """Return the timeline of a log.

        Parameters: `textDocument`, `hidden` to include passes without changes, `workDoneToken`. Result: the
        `version` of the document, and its `shaders` with their passes, see
        `nirls.server.engine.timeline.plain`. Verdicts follow later, see `verification`.
        """
        document = server.document(str(params.textDocument.uri))
        if document is None:
            return {"version": 0, "shaders": []}
        snapshot = document.snapshot
        token = getattr(params, "workDoneToken", None)
        await _read_dumps(server, document, snapshot, token)
        shaders = await asyncio.get_running_loop().run_in_executor(
            None, _plain_timeline, server, document, snapshot, bool(getattr(params, "hidden", False))
        )
        verifier_of(server).start(document, snapshot)
        return {"version": snapshot.version, "shaders": shaders}

    @server.handler(SNAPSHOT_DIFF, reads_text=True)
    async def snapshot_diff(params: Any) -> dict[str, Any] | None:
        """Return the texts of two dumps with corresponding numbers; null for an unknown dump.

        Parameters: `textDocument`, and the dump numbers `before` and `after` from 0. Result: the texts
        `before` and `after`, and whether they are the `same`.
        """
        document = server.document(str(params.textDocument.uri))
        dumps = () if document is None else document.snapshot.dumps()
        wanted = int(params.before), int(params.after)
        if any(not 0 <= number < len(dumps) for number in wanted):
            return None
        from nirls.server.ide.snapshot_diff import texts_of_dumps

        before, after = (dumps[number].piece.text for number in wanted)
        texts = await server.in_worker(_LONGEST_DIFF, texts_of_dumps, before, after)
        return {"before": texts.before, "after": texts.after, "same": texts.same}


async def _read_dumps(
    server: NirlsServer, document: Document, snapshot: Snapshot, token: int | str | None
) -> None:
    """Digest the dumps for the timeline, in batches, with progress reports."""
    waiting = [
        state for dump in snapshot.dumps() if not (state := document.state(dump.piece)).has(DumpDigest)
    ]
    report = _progress(server, token, len(waiting))
    loop = asyncio.get_running_loop()
    for start in range(0, len(waiting), _DUMPS_AT_ONCE):
        states = waiting[start : start + _DUMPS_AT_ONCE]
        await loop.run_in_executor(None, _digest, states)
        report(start + len(states))
    report(None)


def _digest(states: Sequence[DumpState]) -> None:
    for state in states:
        _ = state.of_text(DumpDigest).counts


def _progress(server: NirlsServer, token: int | str | None, total: int) -> Callable[[int | None], None]:
    """Return a function that reports the number of dumps done; call it with None at the end."""
    if token is None or total <= _DUMPS_AT_ONCE:
        return lambda done: None

    def send(value: dict[str, Any]) -> None:
        server.protocol.notify_plain("$/progress", {"token": token, "value": value})

    send({"kind": "begin", "title": "Reading passes", "percentage": 0})

    def report(done: int | None) -> None:
        if done is None:
            send({"kind": "end"})
        else:
            send({"kind": "report", "percentage": 100 * done // total, "message": f"{done} of {total} dumps"})

    return report


def _plain_timeline(
    server: NirlsServer, document: Document, snapshot: Snapshot, hidden: bool
) -> list[dict[str, Any]]:
    from nirls.server.engine.timeline.plain import plain_timeline
    from nirls.server.engine.timeline.timeline import timeline_of

    shaders = timeline_of(snapshot, lambda piece: document.state(piece).of_text(DumpDigest))
    verifier = verifier_of(server)
    verifier.watch(document, snapshot)
    found = verifier.verdicts(document, snapshot)
    verdicts = {number: (one.verdict, one.reason) for number, one in found.items()}
    return plain_timeline(shaders, hidden=hidden, verdicts=verdicts)
