"""Hover."""

from __future__ import annotations

from lsprotocol import types

from nirls.ir.model.shader import Variable
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.entities import HeaderKey, Slot, entity_at
from nirls.server.ide.hover import Stages, hover
from nirls.server.ide.packing import packing_around
from nirls.server.ide.places import Places
from nirls.server.lsp.features.conversion import lsp_range, markup
from nirls.server.lsp.features.cursor import Cursor, cursor_at
from nirls.server.lsp.nirls_server import NirlsServer

PATIENCE = 0.3
"""Seconds that a hover waits for the packing; a later result appears in the next hover."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_HOVER)
    async def show(params: types.HoverParams) -> types.Hover | None:
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None:
            return None
        state = cursor.state
        found = entity_at(state.shader, state.of_shader(Places), cursor.offset)
        if found is None:
            return None
        token, entity = found
        pipelines = _pipelines(server, cursor) if isinstance(entity, Slot | Variable) else []
        options = server.engines.of(cursor.document).settings.options
        driver = server.driver_of(cursor.document).text if isinstance(entity, HeaderKey) else ""
        text = hover(state.shader, entity, state.of_shader(Convergence), pipelines, options, driver)
        if text is None:
            return None
        if isinstance(entity, Slot):
            snapshot = cursor.document.snapshot
            text = "\n\n".join([text, *await _packings(server, cursor, entity)])
            server.require_text(cursor.document, snapshot)
        range_ = lsp_range(cursor.dump.range(token.start, token.end, server.client.encoding))
        return types.Hover(markup(text, as_markdown=server.client.markdown), range_)


async def _packings(server: NirlsServer, cursor: Cursor, slot: Slot) -> list[str]:
    """Describe the packing around a slot in each pipeline, if it is available within `PATIENCE`."""
    found = []
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(cursor.dump.piece.slot)
        if position is not None:
            pairs = await server.packing.soon(
                linked.texts(), server.packing_options(cursor.document), PATIENCE
            )
            found.append(packing_around(pairs, position, slot))
    return [text for text in found if text]


def _pipelines(server: NirlsServer, cursor: Cursor) -> list[Stages]:
    found = []
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(cursor.dump.piece.slot)
        if position is not None:
            shaders = [member.document.state(member.dump.piece).shader for member in linked.members]
            found.append(Stages(shaders, position, linked.pipeline.reason))
    return found
