"""Formatting of documents and line ranges: white space only, in Mesa's columns."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.formatting import formatting_edits
from nirls.server.lsp.answers.workspace_edits import text_edits
from nirls.server.lsp.nirls_server import NirlsServer

Edits = list[types.TextEdit | types.AnnotatedTextEdit]


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_FORMATTING, reads_text=True)
    def format_all(document: Document, _: types.DocumentFormattingParams) -> Edits:
        return _formatted(server, document, 0, None)

    @server.on_document(types.TEXT_DOCUMENT_RANGE_FORMATTING, reads_text=True)
    def format_range(document: Document, params: types.DocumentRangeFormattingParams) -> Edits:
        start, end = params.range.start, params.range.end
        # A selection that ends at the start of a line does not include that line.
        last = end.line - 1 if end.character == 0 and end.line > start.line else end.line
        return _formatted(server, document, start.line, last)


def _formatted(server: NirlsServer, document: Document, first: int, last: int | None) -> Edits:
    """Compute the edits of a line range, dump by dump."""
    snapshot = document.snapshot
    edits: Edits = []
    dumps = snapshot.dumps() if last is None else snapshot.dumps_in_lines(first, last)
    for dump in dumps:
        edits += _of_dump(server, document, dump, first, last)
    return edits


def _of_dump(
    server: NirlsServer, document: Document, dump: PlacedDump, first: int, last: int | None
) -> Edits:
    first_line = max(first - dump.first_line, 0)
    last_line = None if last is None else last - dump.first_line
    found = formatting_edits(document.state(dump.piece).shader, first_line, last_line)
    return text_edits(server, dump, found)
