"""Findings as LSP's diagnostics, in JSON. Of a document, all are sent again at each keystroke.

So the JSON of each dump is kept, with its lines left open: a line typed above moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary, ref

from nirls.passes.finding import Severity
from nirls.server.client import Client
from nirls.server.document import Piece, PlacedDump
from nirls.server.line_template import LineTemplate, encoded, open_range
from nirls.server.marks import Mark, RelatedMark
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

_MOST_TEXTS: Final = 500
"""Texts of single diagnostics that are kept: more than there are in the dumps around an edit."""


class Holder(Protocol):
    """Who has documents, and a client that is told of them."""

    client: Client
    documents: Workspace


Place = tuple[Document, PlacedDump]
Places = Mapping[int, Place | None]
"""Where dumps are, by their slots; 0 is that of the finding itself."""
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
    return encoded(shown)


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
    related: tuple[tuple[str, ref[Piece]] | None, ...]
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
    places = {0: (document, dump), **_places(server, document, slots)}
    # Linked dumps speak of each other: what each keeps must not keep the other.
    related = tuple(
        None if place is None else (place[0].uri, ref(place[1].piece)) for place in places.values()
    )
    first_lines = [0 if place is None else place[1].first_line for place in places.values()]
    if known is None or known.related != related:
        numbers = {slot: number for number, slot in enumerate(places)}
        shown_marks = (*problems, *found)[:shown]
        template = LineTemplate.of_texts(
            [_open_text(server.client, mark, places, numbers) for mark in shown_marks]
        )
        marks = (problems, found, shown)
        is_here = all(place is not None and place[0] is document for place in places.values())
        reach = frozenset(slots) if is_here else None
        known = _made[dump.piece] = _Made(
            server.client, document.uri, marks, slots, related, reach, template, [], ""
        )
    if known.first_lines != first_lines:
        known.first_lines, known.text = first_lines, known.template.filled(first_lines)
    return known


_open_texts: dict[tuple[object, ...], tuple[Client, Mark, str]] = {}


def _open_text(client: Client, mark: Mark, places: Places, numbers: Mapping[int, int]) -> str:
    """A finding as JSON text, its lines left open.

    An edit makes new marks of all that follow in its dump, and most of them say the same of the same place
    in their lines: that text is looked up.
    """
    spots: list[object] = []
    spoken_of: list[Mark | RelatedMark] = [mark]
    if client.related_information:
        spoken_of += mark.related
    for item in spoken_of:
        slot = item.slot if isinstance(item, RelatedMark) else 0
        place = places[slot]
        if place is not None:
            lines = place[1].piece.lines
            start, end = (
                lines.position(item.start, client.encoding),
                lines.position(item.end, client.encoding),
            )
            spots.append((place[0].uri, numbers[slot], start, end, item.message))
    about = (mark.code, mark.severity, mark.unnecessary, mark.pass_name, mark.fixes)
    # Client and mark are kept with the text, so that nothing else gets the same number.
    key = (id(client), id(mark.data), *about, *spots)
    known = _open_texts.get(key)
    if known is None:
        if len(_open_texts) >= _MOST_TEXTS:
            _open_texts.clear()
        text = encoded(_diagnostic(client, mark, places, numbers))
        known = _open_texts[key] = (client, mark, text)
    return known[2]


def _related_slots(marks: Iterable[Mark]) -> tuple[int, ...]:
    # Slot 0 means the dump of the mark itself.
    return tuple(sorted({item.slot for mark in marks for item in mark.related if item.slot}))


def _places(server: Holder, document: Document, slots: Iterable[int]) -> dict[int, Place | None]:
    places: dict[int, Place | None] = {}
    for slot in slots:
        here = document.place_of_slot(slot)
        places[slot] = (document, here) if here is not None else server.documents.slot(slot)
    return places


def diagnostic_of(server: Holder, document: Document, dump: PlacedDump, mark: Mark) -> dict[str, Any]:
    """One finding as plain JSON, with as much as the client takes."""
    places = {0: (document, dump), **_places(server, document, _related_slots([mark]))}
    return _diagnostic(server.client, mark, places, None)


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
    client: Client, mark: Mark, places: Places, numbers: Mapping[int, int] | None
) -> dict[str, Any]:
    """A finding; with numbers, those of the dumps by slot, its lines are left open."""
    here = places[0]
    assert here is not None
    found = brief_diagnostic(client, here[1], mark, None if numbers is None else numbers[0])
    page = page_of(mark.code) if client.code_description else None
    if page is not None:
        found["codeDescription"] = {"href": page}
    if client.related_information:
        related = _related(client, mark, places, numbers)
        if related:
            found["relatedInformation"] = related
    if client.diagnostic_data:
        found["data"] = _data(mark)
    return found


def _related(
    client: Client, mark: Mark, places: Places, numbers: Mapping[int, int] | None
) -> list[dict[str, object]]:
    related: list[dict[str, object]] = []
    for item in mark.related:
        place = places[item.slot]
        if place is None:
            continue
        number = None if numbers is None else numbers[item.slot]
        range_ = _range(place[1], item.start, item.end, client.encoding, number)
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
