"""Document symbols: dump > function > block."""

from __future__ import annotations

import json
from typing import Any
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.document import Piece, PlacedDump
from nirls.server.ide.outline import BlockOutline, FunctionOutline
from nirls.server.ide.symbol_search import dump_title
from nirls.server.nirls_server import NirlsServer, plain_range
from nirls.server.protocol import Encoded
from nirls.server.workspace import Document, to_text

Symbol = dict[str, Any]
_LONGEST_DETAIL = 80

MOST_BLOCKS = 10_000
"""Blocks shown of one function; editors take seconds for more, and nobody reads them."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, otherwise=[])
    def symbols(params: types.DocumentSymbolParams) -> list[Symbol] | Encoded:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        if server.client.hierarchical_symbols:
            shown = ",".join(_encoded(server, document, dump) for dump in document.snapshot.dumps())
            return Encoded(f"[{shown}]")
        found = [_dump(server, document, dump) for dump in document.snapshot.dumps()]
        return [flat for symbol in found for flat in _flattened(symbol, document.uri, None)]


_made: WeakKeyDictionary[Piece, tuple[tuple[object, ...], str]] = WeakKeyDictionary()


def _encoded(server: NirlsServer, document: Document, dump: PlacedDump) -> str:
    """The symbols of one dump as JSON, made anew only if the dump, its line or the text above changed."""
    key = (server.client.encoding, dump.first_line, _line_above(document, dump))
    known = _made.get(dump.piece)
    if known is None or known[0] != key:
        known = _made[dump.piece] = (key, json.dumps(_dump(server, document, dump), separators=(",", ":")))
    return known[1]


def _dump(server: NirlsServer, document: Document, dump: PlacedDump) -> Symbol:
    shape = document.state(dump.piece).outline
    end = len(dump.piece.text.rstrip())
    first_line = dump.piece.text.find(b"\n")
    return {
        "name": dump_title(shape),
        "detail": _line_above(document, dump),
        "kind": types.SymbolKind.Module,
        "range": plain_range(dump.range(0, end, server.client.encoding)),
        "selectionRange": plain_range(
            dump.range(0, min(first_line if first_line >= 0 else end, end), server.client.encoding)
        ),
        "children": [_function(server, dump, function) for function in shape.functions],
    }


def _function(server: NirlsServer, dump: PlacedDump, function: FunctionOutline) -> Symbol:
    encoding = server.client.encoding
    return {
        "name": function.name,
        "kind": types.SymbolKind.Function,
        "range": plain_range(dump.range(function.start, function.end, encoding)),
        "selectionRange": plain_range(dump.range(function.start, function.head_end, encoding)),
        "children": [_block(server, dump, block) for block in function.blocks[:MOST_BLOCKS]],
    }


def _block(server: NirlsServer, dump: PlacedDump, block: BlockOutline) -> Symbol:
    encoding = server.client.encoding
    return {
        "name": block.name,
        "kind": types.SymbolKind.Namespace,
        "range": plain_range(dump.range(block.start, block.end, encoding)),
        "selectionRange": plain_range(dump.range(block.start, block.label_end, encoding)),
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
