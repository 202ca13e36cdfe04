"""The diagnostics that are sent while somebody types: about as many, however many the document has.

LSP has no way to say what changed: whoever tells of one finding of a document repeats all others, and what
is not repeated is gone from the editor. In a log of 100,000 lines that is most of what a keystroke costs. So
as long as somebody types, those of dumps nearby are sent as they are, and of dumps far away the worst one of
each, or of a few in a row, stands for them all. The rest comes when typing pauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.client import Client
from nirls.server.lsp.features.diagnostic_json import (
    Holder,
    MarkedDump,
    brief_diagnostic,
    count_of,
    diagnostics_of_dump,
    joined,
    marked_dumps,
)
from nirls.server.lsp.line_template import LineTemplate
from nirls.server.lsp.protocol import Encoded

FEW = 50
"""Findings of a document that are all sent at each keystroke."""

MOST_STAND_INS = 30
"""Diagnostics that stand for those of far dumps."""

_MARGIN: Final = 100
"""Lines above and below what is visible that count as near."""


@dataclass(slots=True)
class _FarOnes:
    """What stands for the findings of far dumps, with all that it was made of.

    `dumps` are the numbers of those dumps that the template has lines of.
    """

    client: Client
    marked: Sequence[MarkedDump]
    dumps: Sequence[int]
    template: LineTemplate
    first_lines: Sequence[int]
    text: str


_kept: WeakKeyDictionary[Document, _FarOnes] = WeakKeyDictionary()


def has_many_findings(document: Document) -> bool:
    """Whether not all findings of a document are sent while somebody types in it."""
    return count_of(marked_dumps(document)) > FEW


def diagnostics_while_typing(server: Holder, document: Document) -> tuple[Encoded, bool]:
    """The diagnostics of a document as a JSON array, and whether there are many.

    Of many, those of dumps far away come in short.
    """
    marked = marked_dumps(document)
    if count_of(marked) <= FEW:
        return joined(diagnostics_of_dump(server, document, dump) for dump in marked), False
    near = {dump.number for dump in _near(document)}
    parts = [diagnostics_of_dump(server, document, dump) for dump in marked if dump.number in near]
    far = [dump for dump in marked if dump.number not in near]
    return joined([*parts, _far(server.client, document, far)]), True


def _near(document: Document) -> list[PlacedDump]:
    """The dump that was edited last, and those that are about visible."""
    first, last = document.visible
    near = document.snapshot.dumps_in_lines(first - _MARGIN, last + _MARGIN)
    edited = document.place_of_slot(document.edited_slot)
    return near if edited is None else [*near, edited]


def _far(client: Client, document: Document, marked: Sequence[MarkedDump]) -> str:
    known = _kept.get(document)
    if known is None or known.client is not client or known.marked != marked:
        dumps, template = _stand_ins(client, document, marked)
        known = _kept[document] = _FarOnes(client, marked, dumps, template, [], "")
    first_lines = [document.snapshot.first_line(number) for number in known.dumps]
    if known.first_lines != first_lines:
        known.first_lines, known.text = first_lines, known.template.filled(first_lines)
    return known.text


def _stand_ins(
    client: Client, document: Document, marked: Sequence[MarkedDump]
) -> tuple[list[int], LineTemplate]:
    """One diagnostic for each far dump, or for several in a row, and the dumps that those are in."""
    size = -(-len(marked) // MOST_STAND_INS) or 1
    dumps: list[int] = []
    diagnostics = []
    for start in range(0, len(marked), size):
        together = marked[start : start + size]
        worst = min(together, key=lambda dump: dump.worst.severity.rank)
        place = document.snapshot.dump(worst.number)
        shown = brief_diagnostic(client, place, worst.worst, len(dumps))
        more = count_of(together) - 1
        if more:
            shown["message"] += f" (and {more} more near here)"
        dumps.append(worst.number)
        diagnostics.append(shown)
    return dumps, LineTemplate.of(diagnostics)
