"""Folding: dumps, headers, functions, ifs, loops and blocks."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.engine.documents.workspace import Document
from nirls.server.lsp.large_dumps import dumps_in_slices
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_FOLDING_RANGE, otherwise=[], reads_text=True)
    async def folds(document: Document, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
        from nirls.server.ide.cursor.outline import outline

        found: list[types.FoldingRange] = []
        dumps = dumps_in_slices(document, lambda dump: document.state(dump.piece).of_text(outline))
        async for dump, parts in dumps:
            line_at, first_line = dump.piece.lines.line_at, dump.first_line
            for fold in parts.folds:
                start, end = line_at(fold.start), line_at(fold.end)
                if end > start:
                    found.append(types.FoldingRange(first_line + start, first_line + end))
        return found
