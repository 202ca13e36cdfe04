"""A log prepared for verification: its shaders, transitions, and the unit of each transition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from nirls.ir.finding import Finding, Place, Related
from nirls.server.engine.checks.dump_findings import head_of
from nirls.server.engine.checks.finding_codes import DIFFERENT_SNAPSHOT
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.timeline import Digests, ShaderTimeline, TimelineReader
from nirls.server.engine.verification.transitions import Transition, pipelines_of, transitions_of
from nirls.server.engine.verification.unit import PipelineTexts, TransitionUnit, TransitionVerdict
from nirls.verification.snapshots import Losses


@dataclass(frozen=True, slots=True)
class ReadLog:
    """A log with its shaders and transitions, in the order of the dumps."""

    snapshot: Snapshot
    shaders: tuple[ShaderTimeline, ...]
    transitions: tuple[Transition, ...]

    def text(self, dump: int) -> bytes:
        """Text of a dump by its number."""
        return self.snapshot.dump(dump).piece.text

    def line(self, dump: int) -> int:
        """First line of a dump, from 0."""
        return self.snapshot.first_line(dump)

    def unit(self, transition: Transition) -> TransitionUnit:
        """Create the unit that verifies a transition."""
        linked = (
            PipelineTexts(*(tuple(map(self.text, side)) for side in (states.before, states.after)))
            for states in transition.linked
        )
        return TransitionUnit(
            self.text(transition.before),
            self.text(transition.after),
            transition.pass_name,
            tuple(linked),
            _losses(transition),
            transition.unprinted,
        )


def _losses(transition: Transition) -> Losses:
    if transition.is_variant:
        return Losses.RIGHT
    return Losses.WRONG if transition.is_named else Losses.UNCLEAR


def log_of(snapshot: Snapshot, digest: Digests) -> ReadLog:
    """Read the log in a snapshot of a document; `digest` may cache by content."""
    parts = list(parts_of(snapshot, digest))
    transitions = chain.from_iterable(part.transitions for part in parts)
    return ReadLog(
        snapshot,
        tuple(chain.from_iterable(part.shaders for part in parts)),
        tuple(sorted(transitions, key=lambda transition: transition.after)),
    )


def parts_of(snapshot: Snapshot, digest: Digests) -> Iterator[ReadLog]:
    """Read the log of each pipeline in a snapshot of a document, when it is asked for."""
    reader = TimelineReader(snapshot, digest)
    for shaders in pipelines_of(reader.timelines()):
        yield ReadLog(snapshot, shaders, tuple(transitions_of(shaders, reader.digests)))


def read_log(data: bytes) -> ReadLog:
    """Read a log from its bytes."""
    return log_of(Snapshot.of(data), _digests())


def read_parts(data: bytes) -> Iterator[ReadLog]:
    """Read the log of each pipeline in a log from its bytes, when it is asked for."""
    return parts_of(Snapshot.of(data), _digests())


def _digests() -> Digests:
    digest = cache(DumpDigest)
    return lambda piece: digest(piece.text)


def finding_of(log: ReadLog, one: Transition, verdict: TransitionVerdict, dumps: tuple[int, int]) -> Finding:
    """Create the finding of a transition whose verdict is `different`.

    `dumps` are the numbers that stand for the two snapshots in places. The first differing instructions are
    related places.
    """
    pieces = [log.snapshot.dump(number).piece for number in (one.before, one.after)]
    related = []
    if verdict.instruction is not None:
        lines = (verdict.instruction.before_line, verdict.instruction.after_line)
        texts = ("the first instruction that differs, before", "the same instruction after the pass")
        for piece, dump, line, text in zip(pieces, dumps, lines, texts, strict=True):
            if line is not None:
                place = Place(dump, piece.lines.starts[line], piece.lines.line_end(line))
                related.append(Related(place, text))
    return DIFFERENT_SNAPSHOT.at(
        head_of(pieces[1].text, dumps[1]),
        f"{one.pass_name} changed what the shader computes: {verdict.reason}",
        related=related,
        data={"dump": one.after},
    )
