"""Document symbols: dump > function > block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.document import Piece, PlacedDump
from nirls.server.engine.workspace import Document, to_text
from nirls.server.ide.outline import BlockOutline, FunctionOutline, outline
from nirls.server.ide.symbol_search import dump_title
from nirls.server.lsp.features.in_slices import dumps_in_slices
from nirls.server.lsp.line_template import LineTemplate, open_range
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

Symbol = dict[str, Any]
RangeOf = Callable[[int, int], dict[str, Any]]
_LONGEST_DETAIL = 80

MOST_BLOCKS = 10_000
"""Blocks shown of one function; editors take seconds for more, and nobody reads them."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, otherwise=[])
    async def symbols(params: types.DocumentSymbolParams) -> list[Symbol] | Encoded:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        shown = [_encoded(server, document, dump) async for dump in dumps_in_slices(server, document)]
        return Encoded(f"[{','.join(shown)}]")


_made: WeakKeyDictionary[Piece, tuple[object, LineTemplate, int, str]] = WeakKeyDictionary()


def _encoded(server: NirlsServer, document: Document, dump: PlacedDump) -> str:
    """The symbols of one dump as JSON, made anew only if the dump or the text above changed."""
    above = document.snapshot.pieces[dump.index - 1] if dump.index else None
    # Symbols that do not lie within each other say where they are, so the document counts too.
    flat = None if server.client.hierarchical_symbols else document.uri
    made_of = (server.client.encoding, above, flat)
    known = _made.get(dump.piece)
    if known is None or known[0] != made_of:
        symbol = _dump(server, document, dump)
        symbols = [symbol] if flat is None else _flattened(symbol, flat, None)
        known = (made_of, LineTemplate.of(symbols), -1, "")
    if known[2] != dump.first_line:
        known = _made[dump.piece] = (*known[:2], dump.first_line, known[1].filled([dump.first_line]))
    return known[3]


def _dump(server: NirlsServer, document: Document, dump: PlacedDump) -> Symbol:
    """The symbols of a dump, their lines left open."""

    def range_of(start: int, end: int) -> dict[str, Any]:
        return open_range(dump.piece.lines, start, end, server.client.encoding)

    shape = document.state(dump.piece).of_text(outline)
    end = len(dump.piece.text.rstrip())
    first_line = dump.piece.text.find(b"\n")
    return {
        "name": dump_title(shape),
        "detail": _line_above(document, dump),
        "kind": types.SymbolKind.Module,
        "range": range_of(0, end),
        "selectionRange": range_of(0, min(first_line if first_line >= 0 else end, end)),
        "children": [_function(function, range_of) for function in shape.functions],
    }


def _function(function: FunctionOutline, range_of: RangeOf) -> Symbol:
    return {
        "name": function.name,
        "kind": types.SymbolKind.Function,
        "range": range_of(function.start, function.end),
        "selectionRange": range_of(function.start, function.head_end),
        "children": [_block(block, range_of) for block in function.blocks[:MOST_BLOCKS]],
    }


def _block(block: BlockOutline, range_of: RangeOf) -> Symbol:
    return {
        "name": block.name,
        "kind": types.SymbolKind.Namespace,
        "range": range_of(block.start, block.end),
        "selectionRange": range_of(block.start, block.label_end),
    }


def _line_above(document: Document, dump: PlacedDump) -> str:
    """The last line of the text above a dump: in a debug log, the pass that made it what it is."""
    above = document.snapshot.pieces[dump.index - 1] if dump.index else None
    if above is None or above.is_dump:
        return ""
    line = above.text[-1024:].rstrip().rpartition(b"\n")[2]
    return to_text(line.strip())[:_LONGEST_DETAIL]


def _flattened(symbol: Symbol, uri: str, container: str | None) -> list[Symbol]:
    flat = {
        "name": symbol["name"],
        "kind": symbol["kind"],
        "location": {"uri": uri, "range": symbol["range"]},
    }
    if container is not None:
        flat["containerName"] = container
    children = [one for child in symbol.get("children", ()) for one in _flattened(child, uri, symbol["name"])]
    return [flat, *children]
