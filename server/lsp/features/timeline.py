"""The request `nirls/timeline` for the passes of a log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.plain import plain_timeline
from nirls.server.lsp.answers.finding_diagnostics import marked_dumps
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.request_progress import Report, request_progress
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DocumentRequest

TIMELINE = "nirls/timeline"

_DUMPS_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineRequest(DocumentRequest):
    """Parameters: `hidden` to include passes without changes."""

    hidden: bool = False


def register(server: NirlsServer) -> None:
    @server.on_document(
        TIMELINE, otherwise={"version": 0, "shaders": []}, takes=TimelineRequest, reads_text=True
    )
    async def timeline(document: Document, params: TimelineRequest) -> dict[str, Any]:
        """Return the timeline of a log.

        Parameters: `textDocument`, `hidden` to include passes without changes, `workDoneToken`. Result: the
        `version` of the document, and its `shaders` with their passes, see
        `nirls.server.engine.timeline.plain`. A pass has the count of `findings` in its snapshot and the worst
        severity, null without any. Verdicts follow later, see `verification`.
        """
        snapshot = document.snapshot
        with request_progress(
            server, params.work_done_token, "Reading passes", "dumps", few=_DUMPS_AT_ONCE
        ) as report:
            await _read_dumps(document, snapshot, report)
        shaders = await asyncio.to_thread(_plain_timeline, server, document, snapshot, params.hidden)
        verifier_of(server).start(document, snapshot)
        return {"version": snapshot.version, "shaders": shaders}


async def _read_dumps(document: Document, snapshot: Snapshot, report: Report) -> None:
    """Digest the dumps for the timeline, in batches."""
    waiting = [
        state for dump in snapshot.dumps() if not (state := document.state(dump.piece)).has(DumpDigest)
    ]
    for start in range(0, len(waiting), _DUMPS_AT_ONCE):
        states = waiting[start : start + _DUMPS_AT_ONCE]
        await asyncio.to_thread(_digest, states)
        report(start + len(states), len(waiting))


def _digest(states: Sequence[DumpState]) -> None:
    for state in states:
        _ = state.of_text(DumpDigest).counts


def _plain_timeline(
    server: NirlsServer, document: Document, snapshot: Snapshot, hidden: bool
) -> list[dict[str, Any]]:
    verifier = verifier_of(server)
    log = verifier.log(document, snapshot)
    found = verifier.verdicts(document, snapshot)
    verdicts = {number: (one.verdict, one.reason) for number, one in found.items()}
    shaders = plain_timeline(log.shaders, hidden=hidden, verdicts=verdicts)
    marks = (
        {marked_dump.number: marked_dump for marked_dump in marked_dumps(document)}
        if document.snapshot is snapshot
        else {}
    )
    for shader in shaders:
        for step in shader["passes"]:
            mark = marks.get(step["dump"])
            step["findings"] = (
                None if mark is None else {"count": len(mark.findings), "worst": mark.worst.severity.value}
            )
    return shaders
