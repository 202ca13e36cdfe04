"""Call hierarchy over `call` instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lsprotocol import types

from nirls.ir.model.shader import Function, Shader
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.calls import (
    Calls,
    FunctionRange,
    function_meant,
    function_named,
    incoming,
    outgoing,
    place_of,
)
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.cursor import entity_at
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DumpItem, item_of, plain_item


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionItem(DumpItem):
    """Data of an item: a function of a dump."""

    function: str


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, reads_ir=True)
    def prepare(params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
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
        calls = _calls(server, params.item, incoming)
        return None if calls is None else [types.CallHierarchyIncomingCall(*call) for call in calls]

    @server.handler(types.CALL_HIERARCHY_OUTGOING_CALLS)
    def outgoing_calls(
        params: types.CallHierarchyOutgoingCallsParams,
    ) -> list[types.CallHierarchyOutgoingCall] | None:
        calls = _calls(server, params.item, outgoing)
        return None if calls is None else [types.CallHierarchyOutgoingCall(*call) for call in calls]


def _item(
    server: NirlsServer, document: Document, dump: PlacedDump, place: FunctionRange
) -> types.CallHierarchyItem:
    return types.CallHierarchyItem(
        name=place.name,
        kind=types.SymbolKind.Function,
        detail=f"{document.name}, dump {dump.number + 1}",
        uri=document.uri,
        range=range_of(server.client, dump, place.start, place.end),
        selection_range=range_of(server.client, dump, place.start, place.head_end),
        data=plain_item(FunctionItem(uri=document.uri, slot=dump.piece.slot, function=place.name)),
    )


def _calls(
    server: NirlsServer,
    item: types.CallHierarchyItem,
    calls_of: Callable[[Shader, Function], Iterable[Calls]],
) -> list[tuple[types.CallHierarchyItem, list[types.Range]]] | None:
    """Return the functions on the other side of the calls of an item, each with the places of its calls.

    None if the dump or the function of the item is gone from the text.
    """
    asked = item_of(FunctionItem, item.data)
    found = server.dump_of(asked)
    if found is None or asked is None:
        return None
    document, dump = found
    shader = document.state(dump.piece).shader
    function = function_named(shader, asked.function)
    if function is None:
        return None
    return [
        (
            _item(server, document, dump, calls.function),
            [range_of(server.client, dump, start, end) for start, end in calls.ranges],
        )
        for calls in calls_of(shader, function)
    ]
