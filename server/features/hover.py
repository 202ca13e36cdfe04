"""Hover."""

from __future__ import annotations

import re

from lsprotocol import types

from nirls.ir.shader import Variable
from nirls.server.features.cursor import Cursor, cursor_at
from nirls.server.ide.entities import Slot, entity_at
from nirls.server.ide.hover import Stages, hover
from nirls.server.nirls_server import NirlsServer, plain_range

_MARKUP = re.compile(r"```nir\n|\n```|\*\*|`")


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_HOVER)
    def show(params: types.HoverParams) -> dict[str, object] | None:
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None:
            return None
        state = cursor.state
        found = entity_at(state.shader, state.places, cursor.offset)
        if found is None:
            return None
        token, entity = found
        pipelines = _pipelines(server, cursor) if isinstance(entity, Slot | Variable) else []
        text = hover(state.shader, token, entity, state.convergence, pipelines)
        if text is None:
            return None
        kind = types.MarkupKind.Markdown if server.client.markdown else types.MarkupKind.PlainText
        value = text if server.client.markdown else _MARKUP.sub("", text)
        range_ = plain_range(cursor.dump.range(token.start, token.end, server.client.encoding))
        return {"contents": {"kind": kind, "value": value}, "range": range_}


def _pipelines(server: NirlsServer, cursor: Cursor) -> list[Stages]:
    found = []
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(cursor.dump.piece.slot)
        if position is not None:
            shaders = [member.document.state(member.dump.piece).shader for member in linked.members]
            found.append(Stages(shaders, position, linked.pipeline.reason))
    return found
