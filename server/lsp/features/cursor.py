"""The position of a request: document, dump, and byte offset within the dump."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.dump_state import DumpState
from nirls.server.engine.workspace import Document
from nirls.server.lsp.nirls_server import NirlsServer


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position within a dump; `offset` is in bytes from the start of the dump."""

    document: Document
    dump: PlacedDump
    state: DumpState
    offset: int


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
