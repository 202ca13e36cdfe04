"""Definition, references, implementation and highlights; those of varyings include the linked stages.

The definition of a load is the stores that feed it; the implementation of a store is the loads that read it;
references include both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from nirls.ir.model.shader import Function, Variable
from nirls.server.engine.documents.linking import LinkedDump
from nirls.server.ide.cursor.entities import CursorToken, Entity, SlotEntity
from nirls.server.ide.navigation import Occurrence, Role, definitions, occurrences
from nirls.server.ide.packing.varying_flow import (
    OtherEnd,
    SlotAccess,
    VaryingFlow,
    access_named,
    partner_accesses,
)
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.cursor import Cursor, entity_at
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_DEFINITION, reads_ir=True)
    def definition(params: types.DefinitionParams) -> list[types.Location] | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        here = definitions(cursor.state.shader, token, entity)
        partners = (place for place in _other_ends(server, cursor, entity) if place.is_upstream)
        return [*_locations(server, cursor, here), *_partner_locations(server, partners)] or None

    @server.handler(types.TEXT_DOCUMENT_IMPLEMENTATION, reads_ir=True)
    def implementation(params: types.ImplementationParams) -> list[types.Location] | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        if isinstance(entity, Function):
            return list(_locations(server, cursor, definitions(cursor.state.shader, token, entity))) or None
        partners = (place for place in _other_ends(server, cursor, entity) if not place.access.is_store)
        return list(_partner_locations(server, partners)) or None

    @server.handler(types.TEXT_DOCUMENT_REFERENCES, reads_ir=True)
    def references(params: types.ReferenceParams) -> list[types.Location] | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        places = _occurrences(cursor, token, entity)
        if not params.context.include_declaration:
            places = [place for place in places if place.role is not Role.DEFINITION]
        partners = _other_ends(server, cursor, entity)
        return [*_locations(server, cursor, places), *_partner_locations(server, partners)] or None

    @server.handler(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, reads_ir=True)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        kinds = {
            Role.DEFINITION: types.DocumentHighlightKind.Write,
            Role.WRITE: types.DocumentHighlightKind.Write,
            Role.READ: types.DocumentHighlightKind.Read,
        }
        highlights = [
            types.DocumentHighlight(_range(server, cursor, place), kinds[place.role])
            for place in _occurrences(cursor, token, entity)
        ]
        # In a log, all stages are in one document: highlight the varying in each.
        for place in _other_ends(server, cursor, entity):
            if place.member.document is cursor.document:
                kind = types.DocumentHighlightKind.Write if place.access.is_store else kinds[Role.READ]
                highlights.append(types.DocumentHighlight(place.range(server), kind))
        return highlights


def _occurrences(cursor: Cursor, token: CursorToken, entity: Entity) -> list[Occurrence]:
    """Return the occurrences of the entity in the dump; for a load or store of a varying, the instruction."""
    instr = access_named(entity, cursor.io_view())
    if instr is None or instr.span is None or isinstance(entity, SlotEntity):
        return occurrences(cursor.state.shader, token, entity)
    role = Role.DEFINITION if instr.def_ is None else Role.READ
    return [Occurrence(instr.span.start, instr.span.end, role)]


def _locations(server: NirlsServer, cursor: Cursor, places: Iterable[Occurrence]) -> Iterator[types.Location]:
    for place in places:
        yield types.Location(cursor.document.uri, _range(server, cursor, place))


def _range(server: NirlsServer, cursor: Cursor, place: Occurrence) -> types.Range:
    return range_of(server.client, cursor.dump, place.start, place.end)


@dataclass(frozen=True, slots=True)
class _Place:
    """An access of a varying in a linked stage; `is_upstream` if its value flows to the cursor's access."""

    member: LinkedDump
    access: OtherEnd | SlotAccess
    is_upstream: bool

    def range(self, server: NirlsServer) -> types.Range:
        return range_of(server.client, self.member.dump, self.access.span.start, self.access.span.end)


def _other_ends(server: NirlsServer, cursor: Cursor, entity: Entity) -> Iterator[_Place]:
    """Yield the stores for a load at the cursor, and the loads for a store; each place once."""
    instr = access_named(entity, cursor.io_view())
    slot = _slot_of(entity)
    if instr is None and slot is None:
        return
    seen: set[tuple[int, int]] = set()
    for members, position in _pipelines(server, cursor):
        stages = [member.io_view() for member in members]
        found: Sequence[OtherEnd | SlotAccess] = ()
        if instr is not None:
            found = VaryingFlow(stages).other_ends(position, instr)
        if not found and slot is not None:
            found = partner_accesses(stages, position, slot)
        for access in found:
            member = members[access.position]
            place = (member.dump.piece.slot, access.span.start)
            if place not in seen:
                seen.add(place)
                own = instr is not None and access.position == position
                yield _Place(member, access, access.is_store if own else access.position < position)


def _pipelines(server: NirlsServer, cursor: Cursor) -> Iterator[tuple[tuple[LinkedDump, ...], int]]:
    """Yield the pipelines of the dump with its position in each; for an unlinked dump, the dump alone."""
    places = server.places_in_pipelines(cursor.document, cursor.dump)
    for linked, position in places:
        yield linked.members, position
    if not places:
        yield (LinkedDump(cursor.document, cursor.dump),), 0


def _slot_of(entity: Entity) -> SlotEntity | None:
    if isinstance(entity, Variable) and entity.location is not None:
        return SlotEntity(entity.location.partition(".")[0], entity)
    return entity if isinstance(entity, SlotEntity) else None


def _partner_locations(server: NirlsServer, places: Iterable[_Place]) -> Iterator[types.Location]:
    for place in places:
        yield types.Location(place.member.document.uri, place.range(server))
