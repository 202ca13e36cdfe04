"""Findings as LSP's diagnostics, in JSON. Of a document, all are sent again at each keystroke.

So the JSON of each dump is kept, with its lines left open: a line typed above moves it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from nirls.passes.finding import Severity
from nirls.server.client import Client
from nirls.server.document import Piece, PlacedDump
from nirls.server.line_template import LineTemplate, open_range
from nirls.server.marks import Mark
from nirls.server.plain_json import Encoded
from nirls.server.positions import Encoding, plain_range
from nirls.server.rule_pages import page_of
from nirls.server.workspace import Document, Workspace

MOST_DIAGNOSTICS = 2000
"""Diagnostics sent for one document, twice what VS Code shows. One more says how many are left out."""

# LSP's DiagnosticSeverity and DiagnosticTag. Not from lsprotocol, whose import takes half a second: the
# first diagnostics are told before, see `nirls.server.first_look`.
_SEVERITIES: Final = {
    Severity.ERROR: 1,
    Severity.WARNING: 2,
    Severity.INFORMATION: 3,
    Severity.HINT: 4,
}
_UNNECESSARY: Final = 1


class Holder(Protocol):
    """Who has documents, and a client that is told of them."""

    client: Client
    documents: Workspace


Place = tuple[Document, PlacedDump]
Marks = tuple[Mark, ...]
OwnMarks = tuple[Marks, Marks]


def diagnostics_of(server: Holder, document: Document) -> Encoded:
    """The diagnostics of a document as a JSON array.

    Of too many, those of visible dumps and the most severe ones, and how many are left out.
    """
    marks = marks_of_dumps(document)
    count = sum([len(problems) + len(found) for problems, found in marks])
    if count > MOST_DIAGNOSTICS:
        return joined([*_most_wanted(server, document, marks), _left_out(count - MOST_DIAGNOSTICS)])
    return joined(_all(server, document, marks))


def joined(parts: Iterable[str]) -> Encoded:
    """A JSON array of what is in some texts: each is empty, or some values separated by commas."""
    return Encoded(f"[{','.join(filter(None, parts))}]")


def marks_of_dumps(document: Document) -> list[OwnMarks]:
    """Everything found in each dump so far: by the checks of its text, and by the passes."""
    state, found = document.state, document.pass_marks
    return [
        ((piece.state or state(piece)).problems or (), found.get(piece.slot, ()))
        for piece in document.snapshot.dump_pieces()
    ]


def most_severe(marks: Iterable[Mark]) -> Mark:
    """The first of the worst."""
    return min(marks, key=lambda mark: mark.severity.rank)


def _left_out(count: int) -> str:
    """What stands for the findings that are not shown."""
    start = {"line": 0, "character": 0}
    shown = {
        "range": {"start": start, "end": start},
        "severity": _SEVERITIES[Severity.INFORMATION],
        "source": "nirls",
        "message": f"{count:,} more findings in this file are not shown; `nirls check` lists all of them",
    }
    return json.dumps(shown, separators=(",", ":"))


def _most_wanted(server: Holder, document: Document, marks: Sequence[OwnMarks]) -> list[str]:
    seen = {dump.number for dump in document.snapshot.dumps_in_lines(*document.visible)}

    def rank(dump: PlacedDump) -> int:
        return -1 if dump.number in seen else most_severe(chain(*marks[dump.number])).severity.rank

    left = MOST_DIAGNOSTICS
    parts = []
    # Of equally severe ones, the nearest.
    for dump in sorted((dump for dump in document.dumps_by_interest() if any(marks[dump.number])), key=rank):
        problems, found = marks[dump.number]
        parts.append(diagnostics_of_dump(server, document, dump, problems, found, left))
        left -= len(problems) + len(found)
        if left <= 0:
            break
    return parts


@dataclass(frozen=True, slots=True)
class _Sheet:
    """All diagnostics of a document as they were shown last, dump by dump."""

    client: Client
    pieces: Sequence[Piece]
    first_lines: Sequence[int]
    marks: Sequence[OwnMarks]
    made: Sequence[_Made | None]
    parts: Sequence[str]


_sheets: WeakKeyDictionary[Document, _Sheet] = WeakKeyDictionary()


def _all(server: Holder, document: Document, marks: Sequence[OwnMarks]) -> Sequence[str]:
    """The diagnostics of each dump. An edit changes few of them: what is as before is found fast."""
    snapshot = document.snapshot
    pieces, first_lines = snapshot.dump_pieces(), snapshot.first_lines()
    last = _sheets.get(document)
    if last is None or last.client is not server.client or len(last.pieces) != len(pieces):
        nothing: OwnMarks = ((), ())
        blank = [nothing] * len(pieces)
        last = _Sheet(server.client, pieces, first_lines, blank, [None] * len(pieces), [""] * len(pieces))
    moved = {
        piece.slot
        for piece, old, line, old_line in zip(pieces, last.pieces, first_lines, last.first_lines, strict=True)
        if piece is not old or line != old_line
    }
    made, parts = list(last.made), list(last.parts)
    for number, (piece, own, old, one) in enumerate(zip(pieces, marks, last.marks, last.made, strict=True)):
        is_same = own[0] is old[0] and own[1] is old[1] and piece.slot not in moved
        if is_same and (one is None or (one.reach is not None and moved.isdisjoint(one.reach))):
            continue
        most = len(own[0]) + len(own[1])
        new = _made_of_dump(server, document, snapshot.dump(number), *own, most) if most else None
        made[number] = new
        parts[number] = "" if new is None else new.text
    _sheets[document] = _Sheet(server.client, pieces, first_lines, marks, made, parts)
    return parts


@dataclass(slots=True)
class _Made:
    """The JSON of a dump's diagnostics, with all that it was made of.

    `reach` is the slots of the dumps that they speak of, None if one of those is elsewhere.
    """

    client: Client
    uri: str
    marks: tuple[Marks, Marks, int]
    slots: tuple[int, ...]
    related: tuple[tuple[str, Piece] | None, ...]
    reach: frozenset[int] | None
    template: LineTemplate
    first_lines: list[int]
    text: str


_made: WeakKeyDictionary[Piece, _Made] = WeakKeyDictionary()


def diagnostics_of_dump(
    server: Holder, document: Document, dump: PlacedDump, problems: Marks, found: Marks, most: int
) -> str:
    """At most so many diagnostics of one dump, as JSON separated by commas."""
    return _made_of_dump(server, document, dump, problems, found, most).text


def _made_of_dump(
    server: Holder, document: Document, dump: PlacedDump, problems: Marks, found: Marks, most: int
) -> _Made:
    """The same, made anew if the dump's marks or the texts they speak of changed."""
    shown = min(most, len(problems) + len(found))
    known = _made.get(dump.piece)
    if (
        known is None
        or known.client is not server.client
        or known.uri != document.uri
        or known.marks[0] is not problems
        or known.marks[1] is not found
        or known.marks[2] != shown
    ):
        known = None
    slots = _related_slots((*problems, *found)[:shown]) if known is None else known.slots
    places = [_place_of(server, document, slot) for slot in slots]
    related = tuple(None if place is None else (place[0].uri, place[1].piece) for place in places)
    first_lines = [dump.first_line, *(0 if place is None else place[1].first_line for place in places)]
    if known is None or known.related != related:
        numbers = {slot: number for number, slot in enumerate(slots, start=1)}
        shown_marks = (*problems, *found)[:shown]
        template = LineTemplate.of(
            [_diagnostic(server, document, dump, mark, numbers) for mark in shown_marks]
        )
        marks = (problems, found, shown)
        is_here = all(place is not None and place[0] is document for place in places)
        reach = frozenset(slots) if is_here else None
        known = _made[dump.piece] = _Made(
            server.client, document.uri, marks, slots, related, reach, template, [], ""
        )
    if known.first_lines != first_lines:
        known.first_lines, known.text = first_lines, known.template.filled(first_lines)
    return known


def _related_slots(marks: Sequence[Mark]) -> tuple[int, ...]:
    # Slot 0 means the dump of the mark itself.
    return tuple(sorted({item.slot for mark in marks for item in mark.related if item.slot}))


def _place_of(server: Holder, document: Document, slot: int) -> Place | None:
    here = document.place_of_slot(slot)
    return (document, here) if here is not None else server.documents.slot(slot)


def diagnostic_of(server: Holder, document: Document, dump: PlacedDump, mark: Mark) -> dict[str, Any]:
    """One finding as plain JSON, with as much as the client takes."""
    return _diagnostic(server, document, dump, mark, None)


Numbers = dict[int, int] | None
"""Where lines are left open: the index of the dump of each slot. That of the finding itself has 0."""


def brief_diagnostic(client: Client, dump: PlacedDump, mark: Mark, number: int | None) -> dict[str, Any]:
    """What a list shows of a finding; with a number, its lines are left open for the dump of that index."""
    found: dict[str, Any] = {
        "range": _range(dump, mark.start, mark.end, client.encoding, number),
        "severity": _SEVERITIES[mark.severity],
        "code": mark.code,
        "source": "nirls",
        "message": mark.message,
    }
    if mark.unnecessary and client.unnecessary_tag:
        found["tags"] = [_UNNECESSARY]
    return found


def _diagnostic(
    server: Holder, document: Document, dump: PlacedDump, mark: Mark, numbers: Numbers
) -> dict[str, Any]:
    client = server.client
    found = brief_diagnostic(client, dump, mark, None if numbers is None else 0)
    page = page_of(mark.code) if client.code_description else None
    if page is not None:
        found["codeDescription"] = {"href": page}
    if client.related_information:
        related = _related(server, document, dump, mark, numbers)
        if related:
            found["relatedInformation"] = related
    if client.diagnostic_data:
        found["data"] = _data(mark)
    return found


def _related(
    server: Holder, document: Document, dump: PlacedDump, mark: Mark, numbers: Numbers
) -> list[dict[str, object]]:
    related: list[dict[str, object]] = []
    for item in mark.related:
        place = (document, dump) if item.slot == 0 else _place_of(server, document, item.slot)
        if place is None:
            continue
        number = None if numbers is None else numbers.get(item.slot, 0)
        range_ = _range(place[1], item.start, item.end, server.client.encoding, number)
        related.append({"location": {"uri": place[0].uri, "range": range_}, "message": item.message})
    return related


def _range(dump: PlacedDump, start: int, end: int, encoding: Encoding, number: int | None) -> dict[str, Any]:
    """Bytes of a dump as a range; with a number, its lines are left open for the dump of that index."""
    if number is None:
        return plain_range(dump.range(start, end, encoding))
    return open_range(dump.piece.lines, start, end, encoding, number)


def _data(mark: Mark) -> dict[str, object]:
    data: dict[str, object] = {"pass": mark.pass_name}
    if mark.fixes:
        data["fixes"] = [{"title": fix.title, "key": fix.key, "kind": fix.kind} for fix in mark.fixes]
    if mark.data:
        data["finding"] = dict(mark.data)
    return data
