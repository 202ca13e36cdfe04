"""Folding: dumps, headers, functions, ifs, loops and blocks."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.cursor.outline import outline
from nirls.server.lsp.answers.current_dumps import current_dumps
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_FOLDING_RANGE, otherwise=[], reads_text=True)
    def folds(document: Document, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found: list[types.FoldingRange] = []
        for dump in current_dumps(document):
            line_at, first_line = dump.piece.lines.line_at, dump.first_line
            for fold in document.state(dump.piece).of_text(outline).folds:
                start, end = line_at(fold.start), line_at(fold.end)
                if end > start:
                    found.append(types.FoldingRange(first_line + start, first_line + end))
        return found
