"""Verification of the logs whose timelines are shown: verdicts, and a finding on each first difference.

A log is verified in the background from the first request for its timeline on, the visible shader first;
`nirls/timelineChanged` is sent for new verdicts.
"""

from __future__ import annotations

import asyncio
import time
from functools import cache
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from nirls.ir.finding import Finding
from nirls.server.engine.checks.check_settings import adjusted
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.lru_cache import LruCache
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.worker.job import JobFailedError
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:  # see `LogVerifier.watched`
    from nirls.server.engine.verification.log import ReadLog
    from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict
    from nirls.server.lsp.answers.watched_log import WatchedLog

CHANGED: Final = "nirls/timelineChanged"

_PUBLISH_INTERVAL: Final = 1.0
_MOST_VERDICTS: Final = 20_000


class LogVerifier:
    """A cache of verdicts on transitions, keyed by content, and the tasks that compute them."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._verdicts: LruCache[str, TransitionVerdict] = LruCache(_MOST_VERDICTS)
        self._watched: WeakKeyDictionary[Document, WatchedLog] = WeakKeyDictionary()
        self._running: WeakKeyDictionary[Document, Snapshot] = WeakKeyDictionary()

    def log(self, document: Document, snapshot: Snapshot) -> ReadLog:
        """Read the log of a snapshot, once. May be called in any thread."""
        watched = self._of(document, snapshot)
        if watched is None:
            # Imports the evaluator and numpy, which take a second: hovers do without.
            from nirls.server.lsp.answers.watched_log import WatchedLog

            watched = self._watched[document] = WatchedLog.of(document, snapshot)
        return watched.log

    def verdicts(self, document: Document, snapshot: Snapshot) -> dict[int, TransitionVerdict]:
        """Return the known verdicts on the transitions of a snapshot, by the number of the second dump."""
        watched = self._of(document, snapshot)
        return {} if watched is None else watched.all_known(self._verdicts)

    def progress(self, document: Document) -> tuple[int, int]:
        """Count the changes between snapshots that are verified, and all; both 0 if no log is verified."""
        watched = self._of(document, document.snapshot)
        return (0, 0) if watched is None else watched.progress(self._verdicts)

    def start(self, document: Document, snapshot: Snapshot) -> None:
        """Start a task that computes the missing verdicts. Call on the event loop."""
        watched = self._of(document, snapshot)
        if watched is None:
            return
        if self._running.get(document) is not snapshot:
            self._running[document] = snapshot
            self._server.start(self._verify(document, watched))
        else:
            # The severities of the settings may be others.
            self._server.start(self._mark(document, watched))

    def difference(self, document: Document, number: int) -> tuple[TransitionUnit, TransitionVerdict] | None:
        """Return the transition to a dump and its verdict, if that is `different`."""
        watched = self._of(document, document.snapshot)
        if watched is None:
            return None
        for transition in watched.log.transitions:
            verdict = watched.known(self._verdicts, transition) if transition.after == number else None
            if verdict is not None and verdict.verdict == "different":
                return watched.unit(transition), verdict
        return None

    def _of(self, document: Document, snapshot: Snapshot) -> WatchedLog | None:
        """Return the log of a document, if it was read from this snapshot."""
        watched = self._watched.get(document)
        return watched if watched is not None and watched.snapshot is snapshot else None

    async def _verify(self, document: Document, watched: WatchedLog) -> None:
        published = time.monotonic()
        for transition in watched.nearest_first(document):
            if not self._is_current(document, watched):
                return
            if watched.known(self._verdicts, transition) is not None:
                continue
            try:
                verdict = await asyncio.to_thread(watched.verify, self._server.verifier, transition)
            except JobFailedError:
                return
            self._verdicts.put(watched.keys[transition.after], verdict, 1)
            if verdict.verdict == "different" or time.monotonic() - published > _PUBLISH_INTERVAL:
                await self._publish(document, watched)
                published = time.monotonic()
        await self._publish(document, watched)

    def _is_current(self, document: Document, watched: WatchedLog) -> bool:
        is_open = self._server.document(document.uri) is document
        return is_open and document.snapshot is watched.snapshot

    async def _publish(self, document: Document, watched: WatchedLog) -> None:
        if not self._is_current(document, watched):
            return
        await self._mark(document, watched)
        self._server.protocol.notify_plain(CHANGED, {"uri": document.uri})

    async def _mark(self, document: Document, watched: WatchedLog) -> None:
        """Add a finding to the first snapshot of each shader that differs from its predecessor."""
        settings = self._server.analyzers.of(document).settings
        marks: dict[int, tuple[Finding, ...]] = {}
        for slot, finding in watched.findings(self._verdicts).items():
            shown = adjusted([finding], settings)
            if shown:
                marks[slot] = tuple(shown)
        if marks != document.transition_marks:
            document.transition_marks = marks
            document.generation += 1
            await self._server.announcer.publish(document)


@cache
def verifier_of(server: NirlsServer) -> LogVerifier:
    """Return the verifier of a server, created on first use."""
    return LogVerifier(server)
