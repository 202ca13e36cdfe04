"""Hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from nirls.server.lsp.features.conversion import lsp_range, markup
from nirls.server.lsp.features.cursor import Cursor, cursor_at
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.server.ide.entities import Slot
    from nirls.server.ide.hover import Stages

PACKING_TIMEOUT = 0.3
"""Seconds that a hover waits for the packing; a later result appears in the next hover."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_HOVER, reads_ir=True)
    async def show(params: types.HoverParams) -> types.Hover | None:
        from nirls.ir.model.shader import Variable
        from nirls.server.ide.convergence import Convergence
        from nirls.server.ide.entities import HeaderKey, IntrinsicName, Slot
        from nirls.server.ide.hover import hover

        cursor = cursor_at(server, params.text_document.uri, params.position)
        found = None if cursor is None else cursor.entity()
        if cursor is None or found is None:
            return None
        state = cursor.state
        token, entity = found
        pipelines = _pipelines(server, cursor) if isinstance(entity, Slot | Variable) else []
        options = server.engines.of(cursor.document).settings.options
        driver = server.driver_of(cursor.document).text if isinstance(entity, HeaderKey) else ""
        below = cursor.document.snapshot.text_below(cursor.dump) if isinstance(entity, IntrinsicName) else b""
        text = hover(state.shader, entity, state.of_shader(Convergence), pipelines, options, driver, below)
        if text is None:
            return None
        if isinstance(entity, Slot):
            text = "\n\n".join([text, *await _packings(server, cursor, entity)])
        range_ = lsp_range(cursor.dump.range(token.start, token.end, server.client.encoding))
        return types.Hover(markup(text, as_markdown=server.client.markdown), range_)


async def _packings(server: NirlsServer, cursor: Cursor, slot: Slot) -> list[str]:
    """Describe the packing around a slot in each pipeline, if it is available within `PACKING_TIMEOUT`."""
    from nirls.server.ide.packing import packing_around

    found = []
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(cursor.dump.piece.slot)
        if position is not None:
            options = server.packing_options(cursor.document)
            pairs = await server.packing.soon(linked.texts(), options, PACKING_TIMEOUT)
            found.append(packing_around(pairs, position, slot))
    return [text for text in found if text]


def _pipelines(server: NirlsServer, cursor: Cursor) -> list[Stages]:
    from nirls.server.ide.hover import Stages

    found = []
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(cursor.dump.piece.slot)
        if position is not None:
            shaders = [member.document.state(member.dump.piece).shader for member in linked.members]
            found.append(Stages(shaders, position, linked.pipeline.reason))
    return found
