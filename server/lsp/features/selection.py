"""Selection ranges."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from nirls.server.engine.positions import plain_range
from nirls.server.ide.outline import outline
from nirls.server.ide.places import Places
from nirls.server.ide.selection import selections
from nirls.server.lsp.features.cursor import cursor_at
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_SELECTION_RANGE)
    def selection(params: types.SelectionRangeParams) -> list[dict[str, Any]]:
        return [_at(server, params.text_document.uri, position) for position in params.positions]


def _at(server: NirlsServer, uri: str, position: types.Position) -> dict[str, Any]:
    cursor = cursor_at(server, uri, position)
    if cursor is None:
        place = {"line": position.line, "character": position.character}
        return {"range": {"start": place, "end": place}}
    state = cursor.state
    ranges = selections(state.text, state.of_text(outline), state.of_shader(Places), cursor.offset)
    selected: dict[str, Any] = {}
    for start, end in reversed(ranges):
        inner: dict[str, Any] = {"range": plain_range(cursor.dump.range(start, end, server.client.encoding))}
        if selected:
            inner["parent"] = selected
        selected = inner
    return selected
