"""Conversion of plain data to LSP types."""

from __future__ import annotations

import re

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.positions import Range
from nirls.server.lsp.client import Client

_MARKS = re.compile(r"```nir\n|\n```|\*\*|`")


def lsp_range(range_: Range) -> types.Range:
    """Convert a range of positions."""
    return types.Range(types.Position(*range_.start), types.Position(*range_.end))


def range_of(client: Client, dump: PlacedDump, start: int, end: int) -> types.Range:
    """Return the range of the bytes `start` .. `end` of a dump, in the encoding of the client."""
    return lsp_range(dump.range(start, end, client.encoding))


def markup(text: str, *, as_markdown: bool) -> types.MarkupContent:
    """Return Markdown content, or plain text for clients that do not render Markdown."""
    if as_markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, _MARKS.sub("", text))
