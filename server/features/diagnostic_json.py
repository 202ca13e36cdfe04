"""Findings as LSP's diagnostics, in JSON. Of a document, all are sent again at each keystroke.

So the JSON of each dump is kept, with its lines left open: a line typed above moves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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

FEW = 200
"""Diagnostics that are sent with all details at each keystroke."""

MOST_DIAGNOSTICS = 2000
"""Diagnostics sent for one document; all are sent again at each keystroke, and no editor shows more."""

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
    """The diagnostics of a document as a JSON array; of too many, those nearest to what is visible."""
    return _diagnostics(server, document, _marks_of(document), is_brief=False)


def diagnostics_while_typing(server: Holder, document: Document) -> tuple[Encoded, bool]:
    """The same; of many, those of dumps that are neither visible nor edited last come without details.

    The second part says whether there are many.
    """
    marks = _marks_of(document)
    is_brief = _count(marks) > FEW
    return _diagnostics(server, document, marks, is_brief), is_brief


def _diagnostics(server: Holder, document: Document, marks: Sequence[OwnMarks], is_brief: bool) -> Encoded:
    parts: Sequence[str] = (
        _nearest(server, document, marks)
        if _count(marks) > MOST_DIAGNOSTICS
        else _all(server, document, marks, is_brief)
    )
    return Encoded(f"[{','.join(filter(None, parts))}]")


def _count(marks: Sequence[OwnMarks]) -> int:
    return sum([len(problems) + len(found) for problems, found in marks])


def _marks_of(document: Document) -> list[OwnMarks]:
    """Everything found in each dump so far: by the checks of its text, and by the passes."""
    state, found = document.state, document.pass_marks
    return [
        ((piece.state or state(piece)).problems or (), found.get(piece.slot, ()))
        for piece in document.snapshot.dump_pieces()
    ]


def _nearest(server: Holder, document: Document, marks: Sequence[OwnMarks]) -> list[str]:
    left = MOST_DIAGNOSTICS
    parts = []
    for dump in document.dumps_by_interest():
        problems, found = marks[dump.number]
        if problems or found:
            parts.append(_diagnostics_of_dump(server, document, dump, problems, found, left).text)
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


_sheets: dict[bool, WeakKeyDictionary[Document, _Sheet]] = {
    brief: WeakKeyDictionary() for brief in (False, True)
}


def _all(server: Holder, document: Document, marks: Sequence[OwnMarks], brief: bool) -> Sequence[str]:
    """The diagnostics of each dump. A keystroke changes few of them: what is as before is found fast."""
    snapshot = document.snapshot
    pieces, first_lines = snapshot.dump_pieces(), snapshot.first_lines()
    last = _sheets[brief].get(document)
    if last is None or last.client is not server.client or len(last.pieces) != len(pieces):
        nothing: OwnMarks = ((), ())
        blank = [nothing] * len(pieces)
        last = _Sheet(server.client, pieces, first_lines, blank, [None] * len(pieces), [""] * len(pieces))
    moved = {
        piece.slot
        for piece, old, line, old_line in zip(pieces, last.pieces, first_lines, last.first_lines, strict=True)
        if piece is not old or line != old_line
    }
    near = {dump.piece.slot for dump in snapshot.dumps_in_lines(*document.visible)} if brief else set()
    near.add(document.edited_slot)
    made, parts = list(last.made), list(last.parts)
    for number, (piece, own, old, one) in enumerate(zip(pieces, marks, last.marks, last.made, strict=True)):
        is_same = own[0] is old[0] and own[1] is old[1] and piece.slot not in moved
        if is_same and one is None:
            continue
        is_brief = brief and piece.slot not in near
        if (
            is_same
            and one is not None
            and one.is_brief == is_brief
            and one.reach is not None
            and moved.isdisjoint(one.reach)
        ):
            continue
        most = len(own[0]) + len(own[1])
        dump = snapshot.dump(number)
        new = _diagnostics_of_dump(server, document, dump, *own, most, is_brief) if most else None
        made[number] = new
        parts[number] = "" if new is None else new.text
    _sheets[brief][document] = _Sheet(server.client, pieces, first_lines, marks, made, parts)
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
    is_brief: bool
    template: LineTemplate
    first_lines: list[int]
    text: str


_made: dict[bool, WeakKeyDictionary[Piece, _Made]] = {brief: WeakKeyDictionary() for brief in (False, True)}


def _diagnostics_of_dump(
    server: Holder,
    document: Document,
    dump: PlacedDump,
    problems: Marks,
    found: Marks,
    most: int,
    is_brief: bool = False,
) -> _Made:
    """The diagnostics of one dump, made anew if its marks or the texts they speak of changed."""
    shown = min(most, len(problems) + len(found))
    known = _made[is_brief].get(dump.piece)
    if (
        known is None
        or known.client is not server.client
        or known.uri != document.uri
        or known.marks[0] is not problems
        or known.marks[1] is not found
        or known.marks[2] != shown
    ):
        known = None
    if known is None:
        slots = () if is_brief else _related_slots((*problems, *found)[:shown])
    else:
        slots = known.slots
    places = [_place_of(server, document, slot) for slot in slots]
    related = tuple(None if place is None else (place[0].uri, place[1].piece) for place in places)
    first_lines = [dump.first_line, *(0 if place is None else place[1].first_line for place in places)]
    if known is None or known.related != related:
        numbers = {slot: number for number, slot in enumerate(slots, start=1)}
        shown_marks = (*problems, *found)[:shown]
        template = LineTemplate.of(
            [_diagnostic(server, document, dump, mark, numbers, is_brief) for mark in shown_marks]
        )
        marks = (problems, found, shown)
        is_here = all(place is not None and place[0] is document for place in places)
        reach = frozenset(slots) if is_here else None
        known = _made[is_brief][dump.piece] = _Made(
            server.client, document.uri, marks, slots, related, reach, is_brief, template, [], ""
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


def _diagnostic(
    server: Holder,
    document: Document,
    dump: PlacedDump,
    mark: Mark,
    numbers: Numbers,
    is_brief: bool = False,
) -> dict[str, Any]:
    client = server.client
    found: dict[str, Any] = {
        "range": _range(dump, mark.start, mark.end, client.encoding, None if numbers is None else 0),
        "severity": _SEVERITIES[mark.severity],
        "code": mark.code,
        "source": "nirls",
        "message": mark.message,
    }
    if mark.unnecessary and client.unnecessary_tag:
        found["tags"] = [_UNNECESSARY]
    if is_brief:
        return found
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
