"""The diagnostics sent while the user types: a bounded number, whatever the size of the document.

LSP has no incremental diagnostics: each report contains all findings of a document, and the editor removes
those that are missing. In a log of 100,000 lines that is most of the cost of a keystroke. While the user
types, the report therefore has all diagnostics of nearby dumps, and brief ones of far dumps, so that their
number stays the same. Of a document with very many findings, it has one diagnostic, the most severe, for each
far dump or group of consecutive far dumps. A complete report follows when typing pauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.finding_diagnostics import (
    MarkedDump,
    brief_diagnostic,
    count_of,
    diagnostics_of_dump,
    marked_dumps,
)
from nirls.server.lsp.nirls_server import NirlsServer

FEW = 50
"""Largest number of findings that is sent completely at each keystroke."""

MOST_BRIEF = 300
"""Largest number of findings of far dumps that are sent one by one, without details."""

MOST_STAND_INS = 30
"""Largest number of diagnostics for far dumps."""

_MARGIN: Final = 100
"""Lines above and below the visible ones that count as near."""


def has_many_findings(document: Document) -> bool:
    """Whether only some of the findings of a document are sent while the user types in it."""
    return count_of(marked_dumps(document)) > FEW


def diagnostics_while_typing(server: NirlsServer, document: Document) -> tuple[list[types.Diagnostic], bool]:
    """Return the diagnostics to send now, and whether the document has many findings."""
    marked = marked_dumps(document)
    are_many = count_of(marked) > FEW
    near = {dump.number for dump in (_near(document) if are_many else document.snapshot.dumps())}
    found = [
        diagnostic
        for dump in marked
        if dump.number in near
        for diagnostic in diagnostics_of_dump(server, document, document.snapshot, dump)
    ]
    far = [dump for dump in marked if dump.number not in near]
    if count_of(far) > MOST_BRIEF:
        return [*found, *_stand_ins(server, document, far)], are_many
    brief = [
        brief_diagnostic(server.client, document.snapshot.dump(dump.number), finding)
        for dump in far
        for finding in dump.findings
    ]
    return [*found, *brief], are_many


def _near(document: Document) -> list[PlacedDump]:
    """Return the last edited dump, and the dumps in or near the visible lines."""
    first, last = document.visible
    near = document.snapshot.dumps_in_lines(first - _MARGIN, last + _MARGIN)
    edited = document.place_of_slot(document.edited_slot)
    return near if edited is None else [*near, edited]


def _stand_ins(
    server: NirlsServer, document: Document, marked: Sequence[MarkedDump]
) -> Iterator[types.Diagnostic]:
    """Yield one diagnostic for each far dump or group of consecutive far dumps."""
    size = -(-len(marked) // MOST_STAND_INS) or 1
    for start in range(0, len(marked), size):
        together = marked[start : start + size]
        worst = [(dump.number, dump.worst) for dump in together]
        number, finding = min(worst, key=lambda one: one[1].severity.rank)
        shown = brief_diagnostic(server.client, document.snapshot.dump(number), finding)
        more = count_of(together) - 1
        if more:
            shown.message += f" (and {more} more near here)"
        yield shown
