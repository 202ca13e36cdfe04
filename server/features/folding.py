"""Folding: dumps, headers, functions, ifs, loops and blocks."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_FOLDING_RANGE, otherwise=[])
    def folds(params: types.FoldingRangeParams) -> list[dict[str, int]]:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        found = []
        for dump in document.snapshot.dumps():
            line_at = dump.piece.lines.line_at
            for fold in document.state(dump.piece).outline.folds:
                start, end = line_at(fold.start), line_at(fold.end)
                if end > start:
                    found.append({"startLine": dump.first_line + start, "endLine": dump.first_line + end})
        return found
