"""Inlay hints, each kind with a setting; tooltips are computed when a hint is resolved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.linking import LinkedDump, PlaceInPipeline, places_by_slot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.client_settings import INLAY_CONSTANTS, INLAY_CONVERGENCE, INLAY_VARYINGS
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.inlay_hints import Hint, HintKind, constant_hints, convergence_hints, varying_hints
from nirls.server.ide.packing.varying_flow import VaryingFlow
from nirls.server.lsp.answers.conversion import markup, range_of
from nirls.server.lsp.answers.shader_runs import runs_of
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DumpItem, item_of, plain_item

PATIENCE = 0.5
"""Seconds that hints wait for a run; later values come with a refresh."""

MOST_LINES = 10_000
"""Largest number of lines per request: some editors request the whole document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueHint(DumpItem):
    """Data of a hint on the instruction at a byte offset of a dump."""

    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VaryingEnd:
    """A load or store at bytes of a dump."""

    slot: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VaryingHint:
    """Data of a hint on a varying: its other ends."""

    ends: tuple[VaryingEnd, ...]


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_INLAY_HINT, reads_ir=True)
    async def hints(document: Document, params: types.InlayHintParams) -> list[types.InlayHint]:
        snapshot = document.snapshot
        found = await asyncio.to_thread(of_text, document, params)
        server.require_text(document, snapshot)
        return found + await _values(server, document, params.range)

    def of_text(document: Document, params: types.InlayHintParams) -> list[types.InlayHint]:
        start, end = params.range.start, params.range.end
        snapshot, encoding = document.snapshot, server.client.encoding
        last_line = min(end.line, start.line + MOST_LINES)
        first = snapshot.offset(start.line, start.character, encoding)
        last = snapshot.offset(end.line, end.character, encoding)
        found: list[types.InlayHint] = []
        places = places_by_slot(server.linker.pipelines_of(document))

        for dump in snapshot.dumps_in_lines(start.line, last_line):
            linked = places.get(dump.piece.slot, ())
            found += _of_dump(server, document, dump, first - dump.start, last - dump.start, linked)
        return found

    @server.handler(types.INLAY_HINT_RESOLVE)
    def resolve(params: types.InlayHint) -> types.InlayHint:
        text = _tooltip(server, params.data)
        if text:
            params.tooltip = markup(text, as_markdown=server.client.markdown)
        return params


async def _values(server: NirlsServer, document: Document, range_: types.Range) -> list[types.InlayHint]:
    """Return the values of the dumps that are run, behind their lines.

    Raises JsonRpcContentModified if the text changes meanwhile.
    """
    found: list[types.InlayHint] = []
    snapshot = document.snapshot
    first, last = range_.start.line, min(range_.end.line, range_.start.line + MOST_LINES)
    for dump in snapshot.dumps_in_lines(first, last):
        run = await runs_of(server).of(document, dump, PATIENCE)
        server.require_text(document, snapshot)
        if run is None:
            continue
        lines = dump.piece.lines
        for hint in run.hints_in(range(first - dump.first_line, last - dump.first_line + 1)):
            end = lines.line_end(hint.line)
            place = range_of(server.client, dump, end, end).start
            found.append(types.InlayHint(place, hint.label, padding_left=True))
    return found


def _of_dump(
    server: NirlsServer,
    document: Document,
    dump: PlacedDump,
    start: int,
    end: int,
    pipelines: Sequence[PlaceInPipeline],
) -> Iterator[types.InlayHint]:
    settings, state = server.editor_settings(document), document.state(dump.piece)
    nodes = list(state.of_shader(Places).between(max(start, 0), max(end, 0)))
    if not nodes:
        return
    if settings.is_on(INLAY_CONSTANTS):
        for hint in constant_hints(state.shader, nodes):
            yield _hint(server, document, dump, hint, ())
    if settings.is_on(INLAY_CONVERGENCE):
        for hint in convergence_hints(state.of_shader(Convergence), nodes):
            yield _hint(server, document, dump, hint, ())
    if not settings.is_on(INLAY_VARYINGS):
        return
    for linked, position in pipelines:
        flow = VaryingFlow([member.io_view() for member in linked.members])
        for hint in varying_hints(flow, position, nodes):
            yield _hint(server, document, dump, hint, linked.members)


def _hint(
    server: NirlsServer, document: Document, dump: PlacedDump, hint: Hint, members: tuple[LinkedDump, ...]
) -> types.InlayHint:
    found = types.InlayHint(
        range_of(server.client, dump, hint.offset, hint.offset).start,
        hint.label,
        padding_left=hint.kind is not HintKind.CONVERGENCE,
        padding_right=hint.kind is HintKind.CONVERGENCE,
    )
    if hint.kind is HintKind.CONVERGENCE:
        found.kind = types.InlayHintKind.Type
        value = ValueHint(uri=document.uri, slot=dump.piece.slot, offset=hint.offset)
        found.data = plain_item(value)
    if hint.ends:
        ends = [
            VaryingEnd(slot=members[end.position].dump.piece.slot, start=end.span.start, end=end.span.end)
            for end in hint.ends
        ]
        member, end = members[hint.ends[0].position], hint.ends[0]
        range_ = range_of(server.client, member.dump, end.span.start, end.span.end)
        location = types.Location(member.document.uri, range_)
        found.label = [types.InlayHintLabelPart(hint.label, location=location)]
        found.data = plain_item(VaryingHint(ends=tuple(ends)))
    return found


def _tooltip(server: NirlsServer, data: object) -> str:
    """Return the matching loads or stores of a varying, or the reasons for a value's divergence."""
    varying = item_of(VaryingHint, data)
    if varying is not None:
        return _lines_at(server, varying.ends)
    value_hint = item_of(ValueHint, data)
    found = server.dump_of(value_hint)
    if found is None or value_hint is None:
        return ""
    document, dump = found
    state = document.state(dump.piece)
    on_line = state.of_shader(Places).on_line_of(value_hint.offset)
    value = getattr(on_line[0], "def_", None) if on_line is not None else None
    lines = [] if value is None else state.of_shader(Convergence).of_value(value)
    return "\n".join(f"- {line}" for line in lines)


def _lines_at(server: NirlsServer, ends: Iterable[VaryingEnd]) -> str:
    lines = []
    for end in ends:
        place = server.documents.slot(end.slot)
        if place is not None:
            text = place[1].piece.text[end.start : end.end]
            lines.append(text[:300].decode("utf-8", "replace").strip())
    return "```nir\n" + "\n".join(lines) + "\n```" if lines else ""
