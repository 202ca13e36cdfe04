"""Selection ranges."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.selection import selections
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.cursor import cursor_at
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_SELECTION_RANGE, reads_ir=True)
    def selection(params: types.SelectionRangeParams) -> list[types.SelectionRange]:
        return [_at(server, params.text_document.uri, position) for position in params.positions]


def _at(server: NirlsServer, uri: str, position: types.Position) -> types.SelectionRange:
    cursor = cursor_at(server, uri, position)
    selected = types.SelectionRange(types.Range(position, position))
    if cursor is None:
        return selected
    state = cursor.state
    ranges = selections(state.text, state.of_text(outline), state.of_shader(Places), cursor.offset)
    outer: types.SelectionRange | None = None
    for start, end in reversed(ranges):
        range_ = range_of(server.client, cursor.dump, start, end)
        outer = types.SelectionRange(range_, outer)
    return outer or selected
