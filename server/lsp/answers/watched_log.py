"""A log whose transitions are verified. Imports the evaluator and numpy, which take a second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nirls.ir.finding import Finding
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.lru_cache import LruCache
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.verification.log import ReadLog, finding_of, log_of
from nirls.server.engine.verification.transitions import Transition
from nirls.server.engine.verification.unit import UNCHANGED, TransitionUnit, TransitionVerdict, verify_in
from nirls.server.engine.worker.process import Worker

Verdicts = LruCache[str, TransitionVerdict]


@dataclass(frozen=True, slots=True)
class WatchedLog:
    """The log of a snapshot, and the cache keys of its transitions by the number of the second dump."""

    log: ReadLog
    keys: Mapping[int, str]

    @classmethod
    def of(cls, document: Document, snapshot: Snapshot) -> WatchedLog:
        """Read the log of a snapshot. May be called in any thread."""
        log = log_of(snapshot, lambda piece: document.state(piece).of_text(DumpDigest))
        return cls(
            log,
            {
                transition.after: log.unit(transition).key("")
                for transition in log.transitions
                if transition.is_changed
            },
        )

    @property
    def snapshot(self) -> Snapshot:
        """The text that was read."""
        return self.log.snapshot

    def known(self, verdicts: Verdicts, transition: Transition) -> TransitionVerdict | None:
        """Return the verdict on a transition, if there is one."""
        return verdicts.get(self.keys[transition.after]) if transition.is_changed else UNCHANGED

    def all_known(self, verdicts: Verdicts) -> dict[int, TransitionVerdict]:
        """Return the known verdicts by the number of the second dump."""
        found = {transition.after: self.known(verdicts, transition) for transition in self.log.transitions}
        return {number: verdict for number, verdict in found.items() if verdict is not None}

    def progress(self, verdicts: Verdicts) -> tuple[int, int]:
        """Count the changes that are verified, and all of them."""
        return sum(key in verdicts for key in self.keys.values()), len(self.keys)

    def unit(self, transition: Transition) -> TransitionUnit:
        """Return what is verified for a transition."""
        return self.log.unit(transition)

    def verify(self, worker: Worker, transition: Transition) -> TransitionVerdict:
        """Verify a transition in a worker process. Raises JobFailedError."""
        return verify_in(worker, self.unit(transition))

    def findings(self, verdicts: Verdicts) -> dict[int, Finding]:
        """Return a finding for the first snapshot of each shader that differs, by the slot of its dump."""
        findings: dict[int, Finding] = {}
        seen: set[str] = set()
        for transition in self.log.transitions:
            verdict = self.known(verdicts, transition)
            if verdict is None or verdict.verdict != "different" or transition.shader in seen:
                continue
            seen.add(transition.shader)
            before, after = (
                self.snapshot.dump(number).piece.slot for number in (transition.before, transition.after)
            )
            findings[after] = finding_of(self.log, transition, verdict, (before, after))
        return findings

    def nearest_first(self, document: Document) -> list[Transition]:
        """Order the transitions by shader, the shader nearest to the visible lines first."""
        dumps: list[PlacedDump] = list(document.dumps_by_interest())
        place = {dump.number: order for order, dump in enumerate(dumps)}
        nearest: dict[str, int] = {}
        for transition in self.log.transitions:
            distance = place.get(transition.after, len(place))
            nearest[transition.shader] = min(nearest.get(transition.shader, distance), distance)
        return sorted(
            self.log.transitions, key=lambda transition: (nearest[transition.shader], transition.after)
        )
