"""Document links from source file names in dumps to files in the workspace."""

from __future__ import annotations

import os
from pathlib import Path
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.documents.document import Piece, PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.source_links import SourceLink, source_links
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.current_dumps import current_dumps
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    names: WeakKeyDictionary[Piece, tuple[SourceLink, ...]] = WeakKeyDictionary()

    def names_in(piece: Piece) -> tuple[SourceLink, ...]:
        found = names.get(piece)
        if found is None:
            found = names[piece] = tuple(source_links(piece.text))
        return found

    @server.on_document(types.TEXT_DOCUMENT_DOCUMENT_LINK, reads_text=True)
    def links(document: Document, _: types.DocumentLinkParams) -> list[types.DocumentLink]:
        found: list[types.DocumentLink] = []
        files: dict[str, Path | None] = {}
        for dump in current_dumps(document):
            for name in names_in(dump.piece):
                if name.file not in files:
                    files[name.file] = _file(server, document, name.file)
                path = files[name.file]
                if path is not None:
                    found.append(_link(server, dump, name, path))
        return found


def _link(server: NirlsServer, dump: PlacedDump, name: SourceLink, path: Path) -> types.DocumentLink:
    place = ""
    if name.line is not None:
        place = f"#L{name.line}" if name.column is None else f"#L{name.line},{name.column}"
    tooltip = str(path) if server.client.link_tooltips else None
    range_ = range_of(server.client, dump, name.start, name.end)
    return types.DocumentLink(range_, f"{path.as_uri()}{place}", tooltip)


def _file(server: NirlsServer, document: Document, name: str) -> Path | None:
    """Find a file relative to the document or a workspace folder; None outside of the workspace."""
    folders = server.files.folders
    if not folders:
        return None
    bases = [*([document.path.parent] if document.path is not None else []), *folders]
    given = Path(name.replace("\\", "/"))
    try:
        # Joining an absolute path discards the base.
        for candidate in (base / given for base in bases):
            path = candidate.resolve()
            if server.files.holds(path) and os.path.isfile(path):
                return path
    except (OSError, ValueError, RuntimeError):
        return None  # not a valid file name
    return None
