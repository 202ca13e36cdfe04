"""Finding on a snapshot that differs from the previous one."""

from __future__ import annotations

from nirls.ir.finding import Finding, Place, Related
from nirls.server.engine.checking import DIFFERENT_SNAPSHOT, head_of
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.verification.transitions import Transition
from nirls.server.engine.verification.unit import TransitionVerdict


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
