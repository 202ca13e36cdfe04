"""Document symbols: dump > function > block.

A log has tens of thousands, and editors request them after each edit, so the JSON of each dump is cached:
converting 20,000 symbols takes 0.45 s, joining their JSON 2 ms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.document import Piece, PlacedDump
from nirls.server.engine.workspace import Document, to_text
from nirls.server.lsp.features.conversion import lsp_range
from nirls.server.lsp.features.in_slices import dumps_in_slices
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

if TYPE_CHECKING:
    from nirls.server.ide.outline import BlockOutline, FunctionOutline

RangeOf = Callable[[int, int], types.Range]
_LONGEST_DETAIL = 80

MOST_BLOCKS = 10_000
"""Largest number of blocks per function; editors take seconds to show more."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, otherwise=[], reads_text=True)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | Encoded:
        document = server.document(params.text_document.uri)
        if document is None:
            return []

        def encoded(dump: PlacedDump) -> str:
            return _encoded(server, document, dump)

        shown = [encoded(dump) async for dump in dumps_in_slices(document, encoded)]
        return Encoded(f"[{','.join(shown)}]")


_made: WeakKeyDictionary[Piece, tuple[object, str]] = WeakKeyDictionary()


def _encoded(server: NirlsServer, document: Document, dump: PlacedDump) -> str:
    """Return the symbols of a dump as JSON, separated by commas.

    Cached until the dump, its line number or the text above it changes.
    """
    above = document.snapshot.pieces[dump.index - 1] if dump.index else None
    # Symbols in a flat list contain the URI, so the JSON depends on it.
    flat = None if server.client.hierarchical_symbols else document.uri
    made_of = (server.client.encoding, above, flat, dump.first_line)
    known = _made.get(dump.piece)
    if known is None or known[0] != made_of:
        symbol = _dump(server, document, dump)
        symbols = [symbol] if flat is None else list(_flattened(symbol, flat, None))
        text = ",".join(json.dumps(server.protocol.plain(one)) for one in symbols)
        known = _made[dump.piece] = (made_of, text)
    return known[1]


def _dump(server: NirlsServer, document: Document, dump: PlacedDump) -> types.DocumentSymbol:
    from nirls.server.ide.outline import outline
    from nirls.server.ide.symbol_search import dump_title

    def range_of(start: int, end: int) -> types.Range:
        return lsp_range(dump.range(start, end, server.client.encoding))

    shape = document.state(dump.piece).of_text(outline)
    end = len(dump.piece.text.rstrip())
    first_line = dump.piece.text.find(b"\n")
    return types.DocumentSymbol(
        name=dump_title(shape),
        detail=_line_above(document, dump),
        kind=types.SymbolKind.Module,
        range=range_of(0, end),
        selection_range=range_of(0, min(first_line if first_line >= 0 else end, end)),
        children=[_function(function, range_of) for function in shape.functions],
    )


def _function(function: FunctionOutline, range_of: RangeOf) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=function.name,
        kind=types.SymbolKind.Function,
        range=range_of(function.start, function.end),
        selection_range=range_of(function.start, function.head_end),
        children=[_block(block, range_of) for block in function.blocks[:MOST_BLOCKS]],
    )


def _block(block: BlockOutline, range_of: RangeOf) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=block.name,
        kind=types.SymbolKind.Namespace,
        range=range_of(block.start, block.end),
        selection_range=range_of(block.start, block.label_end),
    )


def _line_above(document: Document, dump: PlacedDump) -> str:
    """Return the last line of the text above a dump: in a debug log, the pass that produced the dump."""
    above = document.snapshot.pieces[dump.index - 1] if dump.index else None
    if above is None or above.is_dump:
        return ""
    line = above.text[-1024:].rstrip().rpartition(b"\n")[2]
    return to_text(line.strip())[:_LONGEST_DETAIL]


def _flattened(
    symbol: types.DocumentSymbol, uri: str, container: str | None
) -> Iterator[types.SymbolInformation]:
    """Yield a symbol and its descendants for clients without hierarchical symbols."""
    location = types.Location(uri, symbol.range)
    yield types.SymbolInformation(location, symbol.name, symbol.kind, container_name=container)
    for child in symbol.children or ():
        yield from _flattened(child, uri, symbol.name)
