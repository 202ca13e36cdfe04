"""Definition, references and highlights; those of a varying slot go on into the linked stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from nirls.server.features.cursor import Cursor, cursor_at
from nirls.server.ide.entities import Entity, Slot, Token, entity_at
from nirls.server.ide.navigation import Occurrence, Role, definitions, occurrences
from nirls.server.ide.varyings import partner_accesses
from nirls.server.nirls_server import NirlsServer, plain_range

Location = dict[str, object]


def register(server: NirlsServer) -> None:
    """Declare the handlers."""

    @server.handler(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[Location] | None:
        found = _entity(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        here = definitions(cursor.state.shader, token, entity)
        return [
            *_locations(server, cursor, here),
            *_writes_in_partners(server, cursor, token, entity),
        ] or None

    @server.handler(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[Location] | None:
        found = _entity(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        places = occurrences(cursor.state.shader, token, entity)
        if not params.context.include_declaration:
            places = [place for place in places if place.role is not Role.DEFINITION]
        return [*_locations(server, cursor, places), *_in_partners(server, cursor, token, entity)] or None

    @server.handler(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[dict[str, object]] | None:
        found = _entity(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        kinds = {
            Role.DEFINITION: types.DocumentHighlightKind.Write,
            Role.WRITE: types.DocumentHighlightKind.Write,
            Role.READ: types.DocumentHighlightKind.Read,
        }
        return [
            {"range": _range(server, cursor, place), "kind": kinds[place.role]}
            for place in occurrences(cursor.state.shader, token, entity)
        ]


def _entity(
    server: NirlsServer,
    params: types.DefinitionParams | types.ReferenceParams | types.DocumentHighlightParams,
) -> tuple[Cursor, Token, Entity] | None:
    cursor = cursor_at(server, params.text_document.uri, params.position)
    if cursor is None:
        return None
    found = entity_at(cursor.state.shader, cursor.state.places, cursor.offset)
    return None if found is None else (cursor, *found)


def _locations(server: NirlsServer, cursor: Cursor, places: Iterable[Occurrence]) -> Iterator[Location]:
    for place in places:
        yield {"uri": cursor.document.uri, "range": _range(server, cursor, place)}


def _range(server: NirlsServer, cursor: Cursor, place: Occurrence) -> dict[str, dict[str, int]]:
    return plain_range(cursor.dump.range(place.start, place.end, server.client.encoding))


def _writes_in_partners(
    server: NirlsServer, cursor: Cursor, token: Token, entity: Entity
) -> Iterator[Location]:
    """The stores that feed the slot: where it is defined, for a stage that reads it."""
    return _in_partners(server, cursor, token, entity, upstream_only=True)


def _in_partners(
    server: NirlsServer, cursor: Cursor, token: Token, entity: Entity, *, upstream_only: bool = False
) -> Iterator[Location]:
    if not isinstance(entity, Slot):
        return
    slot = cursor.dump.piece.slot
    for linked in server.linker.pipelines_of(cursor.document):
        position = linked.position_of(slot)
        if position is None:
            continue
        shaders = [member.document.state(member.dump.piece).shader for member in linked.members]
        for found in partner_accesses(shaders, position, entity):
            if upstream_only and found.position >= position:
                continue
            member = linked.members[found.position]
            range_ = member.dump.range(found.span.start, found.span.end, server.client.encoding)
            yield {"uri": member.document.uri, "range": plain_range(range_)}
