"""The diagnostics that are sent while somebody types: about as many, however many the document has.

LSP has no way to say what changed: whoever tells of one finding of a document repeats all others, and what
is not repeated is gone from the editor. In a log of 100,000 lines that is most of what a keystroke costs. So
as long as somebody types, those of dumps nearby are sent as they are, and of dumps far away the worst one of
each, or of a few in a row, stands for them all. The rest comes when typing pauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final
from weakref import WeakKeyDictionary

from nirls.server.client import Client
from nirls.server.document import Piece, PlacedDump
from nirls.server.features.diagnostic_json import (
    Holder,
    OwnMarks,
    brief_diagnostic,
    diagnostics_of,
    diagnostics_of_dump,
    joined,
    marks_of_dumps,
    most_severe,
)
from nirls.server.line_template import LineTemplate
from nirls.server.plain_json import Encoded
from nirls.server.workspace import Document

FEW = 50
"""Findings of a document that are all sent at each keystroke."""

MOST_STAND_INS = 30
"""Diagnostics that stand for those of far dumps."""

_MARGIN: Final = 100
"""Lines above and below what is visible that count as near."""

_NOTHING: Final[OwnMarks] = ((), ())


@dataclass(slots=True)
class _FarOnes:
    """What stands for the findings of far dumps, with all that it was made of; near dumps have none here.

    `dumps` are the numbers of those dumps that the template has lines of.
    """

    client: Client
    pieces: Sequence[Piece | None]
    marks: Sequence[OwnMarks]
    dumps: Sequence[int]
    template: LineTemplate
    first_lines: Sequence[int]
    text: str


_kept: WeakKeyDictionary[Document, _FarOnes] = WeakKeyDictionary()


def has_many_findings(document: Document) -> bool:
    """Whether not all findings of a document are sent while somebody types in it."""
    return sum([len(problems) + len(found) for problems, found in marks_of_dumps(document)]) > FEW


def diagnostics_while_typing(server: Holder, document: Document) -> tuple[Encoded, bool]:
    """The diagnostics of a document as a JSON array, and whether there are many.

    Of many, those of dumps far away come in short.
    """
    marks = marks_of_dumps(document)
    if sum([len(problems) + len(found) for problems, found in marks]) <= FEW:
        return diagnostics_of(server, document), False
    pieces: list[Piece | None] = [*document.snapshot.dump_pieces()]
    parts = []
    for dump in _near(document):
        problems, found = marks[dump.number]
        most = len(problems) + len(found)
        if most:
            parts.append(diagnostics_of_dump(server, document, dump, problems, found, most))
        marks[dump.number], pieces[dump.number] = _NOTHING, None
    return joined([*parts, _far(server.client, document, pieces, marks)]), True


def _near(document: Document) -> list[PlacedDump]:
    """The dump that was edited last, and those that are about visible."""
    first, last = document.visible
    near = document.snapshot.dumps_in_lines(first - _MARGIN, last + _MARGIN)
    edited = document.place_of_slot(document.edited_slot)
    return near if edited is None or edited in near else [*near, edited]


def _far(
    client: Client, document: Document, pieces: Sequence[Piece | None], marks: Sequence[OwnMarks]
) -> str:
    known = _kept.get(document)
    if known is None or known.client is not client or known.pieces != pieces or known.marks != marks:
        dumps, template = _stand_ins(client, document, marks)
        known = _kept[document] = _FarOnes(client, pieces, marks, dumps, template, [], "")
    starts = document.snapshot.first_lines()
    first_lines = [starts[number] for number in known.dumps]
    if known.first_lines != first_lines:
        known.first_lines, known.text = first_lines, known.template.filled(first_lines)
    return known.text


def _stand_ins(
    client: Client, document: Document, marks: Sequence[OwnMarks]
) -> tuple[list[int], LineTemplate]:
    """One diagnostic for each far dump, or for several in a row, and the dumps that those are in."""
    numbers = [number for number, own in enumerate(marks) if own[0] or own[1]]
    size = -(-len(numbers) // MOST_STAND_INS) or 1
    dumps: list[int] = []
    diagnostics = []
    for start in range(0, len(numbers), size):
        together = numbers[start : start + size]
        number = min(together, key=lambda one: most_severe(chain(*marks[one])).severity.rank)
        worst = most_severe(chain(*marks[number]))
        shown = brief_diagnostic(client, document.snapshot.dump(number), worst, len(dumps))
        more = sum(len(problems) + len(found) for problems, found in map(marks.__getitem__, together)) - 1
        if more:
            shown["message"] += f" (and {more} more near here)"
        dumps.append(number)
        diagnostics.append(shown)
    return dumps, LineTemplate.of(diagnostics)
