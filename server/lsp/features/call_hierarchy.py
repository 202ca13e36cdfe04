"""Call hierarchy over `call` instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.features.conversion import lsp_range
from nirls.server.lsp.features.cursor import entity_at
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.ir.model.shader import Function, Shader
    from nirls.server.ide.calls import Calls, FunctionPlace


def register(server: NirlsServer) -> None:
    """Declare the handlers."""

    @server.handler(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, reads_ir=True)
    def prepare(params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
        from nirls.server.ide.calls import function_meant, place_of

        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        function = function_meant(token, entity)
        place = None if function is None else place_of(cursor.state.shader, function)
        return None if place is None else [_item(server, cursor.document, cursor.dump, place)]

    @server.handler(types.CALL_HIERARCHY_INCOMING_CALLS)
    def incoming_calls(
        params: types.CallHierarchyIncomingCallsParams,
    ) -> list[types.CallHierarchyIncomingCall] | None:
        from nirls.server.ide.calls import incoming

        found = _function(server, params.item)
        if found is None:
            return None
        document, dump, shader, function = found
        return [
            types.CallHierarchyIncomingCall(
                _item(server, document, dump, calls.function), _ranges(server, dump, calls)
            )
            for calls in incoming(shader, function)
        ]

    @server.handler(types.CALL_HIERARCHY_OUTGOING_CALLS)
    def outgoing_calls(
        params: types.CallHierarchyOutgoingCallsParams,
    ) -> list[types.CallHierarchyOutgoingCall] | None:
        from nirls.server.ide.calls import outgoing

        found = _function(server, params.item)
        if found is None:
            return None
        document, dump, shader, function = found
        return [
            types.CallHierarchyOutgoingCall(
                _item(server, document, dump, calls.function), _ranges(server, dump, calls)
            )
            for calls in outgoing(shader, function)
        ]


def _item(
    server: NirlsServer, document: Document, dump: PlacedDump, place: FunctionPlace
) -> types.CallHierarchyItem:
    encoding = server.client.encoding
    return types.CallHierarchyItem(
        name=place.name,
        kind=types.SymbolKind.Function,
        detail=f"{document.name}, dump {dump.number + 1}",
        uri=document.uri,
        range=lsp_range(dump.range(place.start, place.end, encoding)),
        selection_range=lsp_range(dump.range(place.start, place.head_end, encoding)),
        data={"uri": document.uri, "slot": dump.piece.slot, "function": place.name},
    )


def _function(
    server: NirlsServer, item: types.CallHierarchyItem
) -> tuple[Document, PlacedDump, Shader, Function] | None:
    """Find the function of an item in the current text; None if its dump or function is gone."""
    from nirls.server.ide.calls import function_named

    found = server.dump_of(item.data)
    if found is None or not isinstance(item.data, dict):
        return None
    document, dump = found
    shader = document.state(dump.piece).shader
    function = function_named(shader, str(item.data.get("function")))
    return None if function is None else (document, dump, shader, function)


def _ranges(server: NirlsServer, dump: PlacedDump, calls: Calls) -> list[types.Range]:
    encoding = server.client.encoding
    return [lsp_range(dump.range(start, end, encoding)) for start, end in calls.ranges]
