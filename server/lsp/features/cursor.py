"""The position of a request: document, dump, and byte offset within the dump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.dump_state import DumpState
from nirls.server.engine.workspace import Document
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.ir.io.view import IoView
    from nirls.server.ide.entities import Entity, Token


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position within a dump; `offset` is in bytes from the start of the dump."""

    document: Document
    dump: PlacedDump
    state: DumpState
    offset: int

    def entity(self) -> tuple[Token, Entity] | None:
        """Find the token at the cursor and the entity that it names."""
        from nirls.server.ide.entities import entity_at
        from nirls.server.ide.places import Places

        return entity_at(self.state.shader, self.state.of_shader(Places), self.offset)

    def io_view(self) -> IoView:
        """Return the inputs and outputs of the dump."""
        return self.document.io_view(self.dump)


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
