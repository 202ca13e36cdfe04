"""Verification of the log in a timeline: verdicts, a diagnostic on the first snapshot that differs, commands.

A log is verified in the background from the first request for its timeline on, the visible shader first;
`nirls/timelineChanged` is sent for new verdicts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.ir.finding import Finding
from nirls.server.engine.checks.check_settings import adjusted
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.lru_cache import LruCache
from nirls.server.engine.documents.workspace import Document
from nirls.server.engine.worker.job import JobFailedError
from nirls.server.lsp.answers.finding_diagnostics import diagnostic_of
from nirls.server.lsp.answers.shown_texts import show_text
from nirls.server.lsp.nirls_server import NirlsServer

# Verification imports the evaluator and numpy: that waits for the first log that is verified.
if TYPE_CHECKING:
    from nirls.server.engine.verification.log import ReadLog
    from nirls.server.engine.verification.transitions import Transition
    from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict

CHANGED = "nirls/timelineChanged"
SHOW = "nirls.showTransition"
"""Command. Arguments: URI, dump number, and `counterexample`, `difference` or `reduced`."""

TITLES: Mapping[str, str] = {
    "counterexample": "Show the counterexample",
    "difference": "Show both snapshots at the first difference",
    "reduced": "Reduce the two snapshots",
}

_PUBLISH_INTERVAL = 1.0
_MOST_VERDICTS = 20_000
_LONGEST_TEXT = 150.0
_SUFFIXES = {"counterexample": ".txt", "difference": ".diff", "reduced": ".log"}


def register(server: NirlsServer) -> None:
    @server.own_command(SHOW)
    async def show(*arguments: Any) -> str | None:
        """Write the requested text to a file and show it; returns the path."""
        uri, number, what = str(arguments[0]), int(arguments[1]), str(arguments[2])
        document = server.document(uri)
        found = None if document is None else verifier_of(server).difference(document, number)
        text = None if found is None else await _text(server, what, *found)
        if text is None:
            server.say("There is nothing to show: the text has changed, or only the pipeline differs.")
            return None
        return show_text(server, f"{what}{_SUFFIXES[what]}", text)


async def _text(
    server: NirlsServer, what: str, unit: TransitionUnit, verdict: TransitionVerdict
) -> str | None:
    await server.imports.for_passes()
    from nirls.server.ide.history.transition_texts import counterexample_text, difference_text, reduced_text

    if what == "counterexample":
        return counterexample_text(unit.pass_name, verdict)
    # Not in the process that makes fixes: a fix would wait for it, and end the job at its own time limit.
    call = server.verifier.call
    if what == "difference":
        return await asyncio.to_thread(call, _LONGEST_TEXT, difference_text, unit, verdict)
    return await asyncio.to_thread(call, _LONGEST_TEXT, reduced_text, unit)


@dataclass(frozen=True, slots=True)
class _Watched:
    """The log of a document, and the cache keys of its transitions by the number of the second dump."""

    log: ReadLog
    keys: Mapping[int, str]


class LogVerifier:
    """A cache of verdicts on transitions, keyed by content, and the tasks that compute them."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._verdicts: LruCache[str, TransitionVerdict] = LruCache(_MOST_VERDICTS)
        self._watched: WeakKeyDictionary[Document, _Watched] = WeakKeyDictionary()
        self._running: WeakKeyDictionary[Document, Snapshot] = WeakKeyDictionary()

    def log(self, document: Document, snapshot: Snapshot) -> ReadLog:
        """Read the log of a snapshot, once. May be called in any thread."""
        known = self._of(document, snapshot)
        if known is not None:
            return known.log
        from nirls.server.engine.timeline.dump_digest import DumpDigest
        from nirls.server.engine.verification.log import log_of

        log = log_of(snapshot, lambda piece: document.state(piece).of_text(DumpDigest))
        keys = {one.after: log.unit(one).key("") for one in log.transitions if one.is_changed}
        self._watched[document] = _Watched(log, keys)
        return log

    def verdicts(self, document: Document, snapshot: Snapshot) -> dict[int, TransitionVerdict]:
        """Return the known verdicts on the transitions of a snapshot, by the number of the second dump."""
        watched = self._of(document, snapshot)
        if watched is None:
            return {}
        found = {one.after: self._known(watched, one) for one in watched.log.transitions}
        return {number: verdict for number, verdict in found.items() if verdict is not None}

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
        for one in watched.log.transitions:
            verdict = self._known(watched, one) if one.after == number else None
            if verdict is not None and verdict.verdict == "different":
                return watched.log.unit(one), verdict
        return None

    def _of(self, document: Document, snapshot: Snapshot) -> _Watched | None:
        """Return the log of a document, if it was read from this snapshot."""
        watched = self._watched.get(document)
        return watched if watched is not None and watched.log.snapshot is snapshot else None

    def _known(self, watched: _Watched, one: Transition) -> TransitionVerdict | None:
        from nirls.server.engine.verification.unit import UNCHANGED

        return self._verdicts.get(watched.keys[one.after]) if one.is_changed else UNCHANGED

    async def _verify(self, document: Document, watched: _Watched) -> None:
        from nirls.server.engine.verification.unit import verify_in

        await self._server.imports.for_passes()
        published = time.monotonic()
        for one in _nearest_first(document, watched.log):
            if not self._is_current(document, watched):
                return
            if self._known(watched, one) is not None:
                continue
            try:
                verdict = await asyncio.to_thread(verify_in, self._server.verifier, watched.log.unit(one))
            except JobFailedError:
                return
            self._verdicts.put(watched.keys[one.after], verdict, 1)
            if verdict.verdict == "different" or time.monotonic() - published > _PUBLISH_INTERVAL:
                await self._publish(document, watched)
                published = time.monotonic()
        await self._publish(document, watched)

    def _is_current(self, document: Document, watched: _Watched) -> bool:
        is_open = self._server.document(document.uri) is document
        return is_open and document.snapshot is watched.log.snapshot

    async def _publish(self, document: Document, watched: _Watched) -> None:
        if not self._is_current(document, watched):
            return
        await self._mark(document, watched)
        self._server.protocol.notify_plain(CHANGED, {"uri": document.uri})

    async def _mark(self, document: Document, watched: _Watched) -> None:
        """Add a finding to the first snapshot of each shader that differs from its predecessor."""
        from nirls.server.engine.verification.log import finding_of

        settings = self._server.analyzers.of(document).settings
        marks: dict[int, tuple[Finding, ...]] = {}
        seen: set[str] = set()
        for one in watched.log.transitions:
            verdict = self._known(watched, one)
            if verdict is None or verdict.verdict != "different" or one.shader in seen:
                continue
            seen.add(one.shader)
            slots = [watched.log.snapshot.dump(number).piece.slot for number in (one.before, one.after)]
            finding = finding_of(watched.log, one, verdict, (slots[0], slots[1]))
            found = adjusted([finding], settings)
            if found:
                marks[slots[1]] = tuple(found)
        if marks != document.transition_marks:
            document.transition_marks = marks
            document.generation += 1
            await self._server.announcer.publish(document)


def _nearest_first(document: Document, log: ReadLog) -> list[Transition]:
    """Order the transitions by shader, the shader nearest to the visible lines first."""
    place = {dump.number: order for order, dump in enumerate(document.dumps_by_interest())}
    nearest: dict[str, int] = {}
    for one in log.transitions:
        distance = place.get(one.after, len(place))
        nearest[one.shader] = min(nearest.get(one.shader, distance), distance)
    return sorted(log.transitions, key=lambda one: (nearest[one.shader], one.after))


@cache
def verifier_of(server: NirlsServer) -> LogVerifier:
    """Return the verifier of a server, created on first use."""
    return LogVerifier(server)


def transition_actions(
    server: NirlsServer, document: Document, dump: PlacedDump
) -> Iterator[types.CodeAction]:
    """Yield the code actions for a dump that differs from its predecessor."""
    for mark in document.transition_marks.get(dump.piece.slot, ()):
        for what, title in TITLES.items():
            arguments = [document.uri, dump.number, what]
            yield types.CodeAction(
                title,
                types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic_of(server, document, dump, mark)],
                command=types.Command(title, SHOW, arguments=arguments),
            )
