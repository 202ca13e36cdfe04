"""The position of a request: document, dump, and byte offset within the dump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lsprotocol import types

from nirls.ir.io.view import IoView
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.cursor import entities
from nirls.server.ide.cursor.entities import CursorToken, Entity
from nirls.server.ide.cursor.places import Places
from nirls.server.lsp.nirls_server import NirlsServer


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position within a dump; `offset` is in bytes from the start of the dump."""

    document: Document
    dump: PlacedDump
    state: DumpState
    offset: int

    def entity(self) -> tuple[CursorToken, Entity] | None:
        """Find the token at the cursor and the entity that it names."""
        return entities.entity_at(self.state.shader, self.state.of_shader(Places), self.offset)

    def io_view(self) -> IoView:
        """Return the inputs and outputs of the dump."""
        return self.document.io_view(self.dump)


class PlaceParams(Protocol):
    """Parameters of a request about a position."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


def entity_at(server: NirlsServer, params: PlaceParams) -> tuple[Cursor, CursorToken, Entity] | None:
    """Find the token at the position of a request and the entity that it names."""
    cursor = cursor_at(server, params.text_document.uri, params.position)
    found = None if cursor is None else cursor.entity()
    return None if cursor is None or found is None else (cursor, *found)


def dumps_asked_about(document: Document, position: types.Position | None) -> list[PlacedDump] | None:
    """Return the dumps at the position of a request; None without a position."""
    return None if position is None else document.snapshot.dumps_in_lines(position.line, position.line)


def dump_asked_about(
    document: Document, number: int | None, position: types.Position | None
) -> PlacedDump | None:
    """Return the dump that a request names by its number from 0, else by a position."""
    if number is None:
        return next(iter(dumps_asked_about(document, position) or ()), None)
    dumps = document.snapshot.dumps()
    return dumps[number] if 0 <= number < len(dumps) else None


def cursor_at(server: NirlsServer, uri: str, position: types.Position) -> Cursor | None:
    """Find the dump at a position of an open document; None outside of dumps."""
    document = server.document(uri)
    if document is None:
        return None
    snapshot = document.snapshot
    offset = snapshot.offset(position.line, position.character, server.client.encoding)
    dump = snapshot.dump_at(offset)
    if dump is None:
        return None
    return Cursor(document, dump, document.state(dump.piece), offset - dump.start)
