"""Findings as LSP's diagnostics, in JSON. Of a document, all are sent again at each keystroke.

So the JSON of each dump is kept, with its lines left open: a line typed above moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakKeyDictionary, ref

from nirls.ir.finding import Finding, Severity
from nirls.server.engine.document import Piece, PlacedDump
from nirls.server.engine.positions import Encoding, plain_range
from nirls.server.engine.workspace import Document, Workspace
from nirls.server.ide.rule_pages import page_of
from nirls.server.lsp.client import Client
from nirls.server.lsp.line_template import LineTemplate, encoded, open_range
from nirls.server.lsp.protocol import Encoded

MOST_DIAGNOSTICS = 2000
"""Diagnostics sent for one document, twice what VS Code shows. One more says how many are left out."""

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
Marks = tuple[Finding, ...]


class MarkedDump(NamedTuple):
    """A dump, by its number, in which something was found: by the checks of its text, or by the passes."""

    number: int
    piece: Piece
    problems: Marks
    found: Marks

    @property
    def total(self) -> int:
        return len(self.problems) + len(self.found)

    @property
    def worst(self) -> Finding:
        """The first of the most severe."""
        return min((*self.problems, *self.found), key=lambda mark: mark.severity.rank)


def marked_dumps(document: Document) -> list[MarkedDump]:
    """The dumps in which something was found so far."""
    state, passes, transitions = document.state, document.pass_marks, document.transition_marks
    marked = []
    for number, piece in enumerate(document.snapshot.dump_pieces()):
        problems, found = (piece.state or state(piece)).problems, passes.get(piece.slot)
        if piece.slot in transitions:
            found = (*transitions[piece.slot], *(found or ()))
        if problems or found:
            marked.append(MarkedDump(number, piece, problems or (), found or ()))
    return marked


def diagnostics_of(server: Holder, document: Document) -> Encoded:
    """The diagnostics of a document as a JSON array.

    Of too many, those of visible dumps and the most severe ones, and how many are left out.
    """
    marked = marked_dumps(document)
    left_out = count_of(marked) - MOST_DIAGNOSTICS
    if left_out <= 0:
        return joined(diagnostics_of_dump(server, document, dump) for dump in marked)
    return joined([*_most_wanted(server, document, marked), _left_out(left_out)])


def count_of(marked: Iterable[MarkedDump]) -> int:
    """How many findings there are."""
    return sum([len(dump.problems) + len(dump.found) for dump in marked])


def joined(parts: Iterable[str]) -> Encoded:
    """A JSON array of what is in some texts: each is empty, or some values separated by commas."""
    return Encoded(f"[{','.join(filter(None, parts))}]")


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


def _most_wanted(server: Holder, document: Document, marked: Sequence[MarkedDump]) -> Iterator[str]:
    seen = {dump.number for dump in document.snapshot.dumps_in_lines(*document.visible)}
    by_number = {dump.number: dump for dump in marked}
    nearest = [by_number[dump.number] for dump in document.dumps_by_interest() if dump.number in by_number]
    left = MOST_DIAGNOSTICS
    for dump in sorted(nearest, key=lambda dump: -1 if dump.number in seen else dump.worst.severity.rank):
        yield diagnostics_of_dump(server, document, dump, left)
        left -= dump.total
        if left <= 0:
            return


@dataclass(slots=True)
class _Made:
    """The JSON of a dump's diagnostics, with all that it was made of."""

    client: Client
    uri: str
    marks: tuple[Marks, Marks, int]
    slots: tuple[int, ...]
    related: tuple[tuple[str, ref[Piece]] | None, ...]
    template: LineTemplate
    first_lines: list[int]
    text: str


_made: WeakKeyDictionary[Piece, _Made] = WeakKeyDictionary()


def diagnostics_of_dump(
    server: Holder, document: Document, marked: MarkedDump, most: int = MOST_DIAGNOSTICS
) -> str:
    """At most so many diagnostics of one dump, as JSON separated by commas.

    It is made anew if the dump's marks or the texts they speak of changed.
    """
    dump = document.snapshot.dump(marked.number)
    problems, found = marked.problems, marked.found
    shown = min(most, marked.total)
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
        known = _made[dump.piece] = _Made(
            server.client, document.uri, marks, slots, related, template, [], ""
        )
    if known.first_lines != first_lines:
        known.first_lines, known.text = first_lines, known.template.filled(first_lines)
    return known.text


_open_texts: dict[tuple[object, ...], tuple[Client, Finding, str]] = {}


def _open_text(client: Client, mark: Finding, places: Places, numbers: Mapping[int, int]) -> str:
    """A finding as JSON text, its lines left open.

    An edit makes new marks of all that follow in its dump, and most of them say the same of the same place
    in their lines: that text is looked up.
    """
    spots: list[object] = []
    spoken_of = [(0, mark.place, mark.message)]
    if client.related_information:
        spoken_of += [(item.place.dump, item.place, item.message) for item in mark.related]
    for slot, span, message in spoken_of:
        place = places[slot]
        if place is not None:
            lines = place[1].piece.lines
            start, end = (
                lines.position(span.start, client.encoding),
                lines.position(span.end, client.encoding),
            )
            spots.append((place[0].uri, numbers[slot], start, end, message))
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


def _related_slots(marks: Iterable[Finding]) -> tuple[int, ...]:
    # Slot 0 means the dump of the mark itself.
    return tuple(sorted({item.place.dump for mark in marks for item in mark.related if item.place.dump}))


def _places(server: Holder, document: Document, slots: Iterable[int]) -> dict[int, Place | None]:
    places: dict[int, Place | None] = {}
    for slot in slots:
        here = document.place_of_slot(slot)
        places[slot] = (document, here) if here is not None else server.documents.slot(slot)
    return places


def diagnostic_of(server: Holder, document: Document, dump: PlacedDump, mark: Finding) -> dict[str, Any]:
    """One finding as plain JSON, with as much as the client takes."""
    places = {0: (document, dump), **_places(server, document, _related_slots([mark]))}
    return _diagnostic(server.client, mark, places, None)


def brief_diagnostic(client: Client, dump: PlacedDump, mark: Finding, number: int | None) -> dict[str, Any]:
    """What a list shows of a finding; with a number, its lines are left open for the dump of that index."""
    found: dict[str, Any] = {
        "range": _range(dump, mark.place.start, mark.place.end, client.encoding, number),
        "severity": _SEVERITIES[mark.severity],
        "code": mark.code,
        "source": "nirls",
        "message": mark.message,
    }
    if mark.unnecessary and client.unnecessary_tag:
        found["tags"] = [_UNNECESSARY]
    return found


def _diagnostic(
    client: Client, mark: Finding, places: Places, numbers: Mapping[int, int] | None
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
    client: Client, mark: Finding, places: Places, numbers: Mapping[int, int] | None
) -> list[dict[str, object]]:
    related: list[dict[str, object]] = []
    for item in mark.related:
        place = places[item.place.dump]
        if place is None:
            continue
        number = None if numbers is None else numbers[item.place.dump]
        range_ = _range(place[1], item.place.start, item.place.end, client.encoding, number)
        related.append({"location": {"uri": place[0].uri, "range": range_}, "message": item.message})
    return related


def _range(dump: PlacedDump, start: int, end: int, encoding: Encoding, number: int | None) -> dict[str, Any]:
    """Bytes of a dump as a range; with a number, its lines are left open for the dump of that index."""
    if number is None:
        return plain_range(dump.range(start, end, encoding))
    return open_range(dump.piece.lines, start, end, encoding, number)


def _data(mark: Finding) -> dict[str, object]:
    data: dict[str, object] = {"pass": mark.pass_name}
    if mark.fixes:
        data["fixes"] = [{"title": fix.title, "key": fix.key, "kind": fix.kind} for fix in mark.fixes]
    if mark.data:
        data["finding"] = dict(mark.data)
    return data
