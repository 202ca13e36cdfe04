"""Document symbols: a dump has variables and functions, these have blocks, ifs and loops, blocks the I/O.

A log has tens of thousands, and editors request them after each edit, so the JSON of each dump is cached:
converting 20,000 symbols takes 0.45 s, joining their JSON 2 ms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.ir.model.stage import Stage
from nirls.server.engine.documents.document import Piece, PlacedDump
from nirls.server.engine.documents.text_document import Document, to_text
from nirls.server.engine.timeline.pass_names import read_text_between
from nirls.server.ide.cursor.outline import BlockOutline, ConstructOutline, FunctionOutline, Outline, outline
from nirls.server.ide.symbol_search import Name, NameKind, dump_title, names_of, slots_of, snapshot_title
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.current_dumps import current_dumps
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

Children = Sequence[tuple[int, types.DocumentSymbol]]
"""Symbols with their offset in the dump."""

_LONGEST_DETAIL = 80
_TEXT_ABOVE = 4096

MOST_PARTS = 10_000
"""Largest number of blocks, ifs and loops per dump; editors take seconds to show more."""


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, otherwise=[], reads_text=True)
    def symbols(document: Document, _: types.DocumentSymbolParams) -> Encoded:
        shown = [_encoded(server, document, dump) for dump in current_dumps(document)]
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
        text = ",".join(json.dumps(server.protocol.plain(symbol)) for symbol in symbols)
        known = _made[dump.piece] = (made_of, text)
    return known[1]


def _dump(server: NirlsServer, document: Document, dump: PlacedDump) -> types.DocumentSymbol:
    shape = document.state(dump.piece).of_text(outline)
    above = _text_above(document, dump)
    made_by = _made_by(above)
    return _Symbols(server, dump).dump(
        shape,
        dump_title(shape) if made_by is None else snapshot_title(shape, made_by, dump.number + 1),
        _last_line(above) if made_by is None else shape.name,
    )


class _Symbols:
    """Creates the symbols of one dump."""

    def __init__(self, server: NirlsServer, dump: PlacedDump) -> None:
        self._client = server.client
        self._dump = dump
        self._text = dump.piece.text
        self._parts_left = MOST_PARTS

    def dump(self, shape: Outline, name: str, detail: str) -> types.DocumentSymbol:

        # The named values come last; finding them takes longer than the rest.
        names = takewhile(lambda one: one.kind is not NameKind.VALUE, names_of(self._text, shape))
        variables = [(name.start, self._variable(name)) for name in names if name.kind is NameKind.VARIABLE]
        slots = [
            (
                one.start,
                self._symbol(
                    one.text,
                    types.SymbolKind.Interface,
                    one.line_start,
                    one.line_end,
                    one.start,
                    one.end,
                    one.intrinsic,
                ),
            )
            for one in slots_of(self._text, Stage.from_mesa_name(shape.stage))
        ]
        functions = [self._function(function, variables, slots) for function in shape.functions]
        first_function = shape.functions[0].start if shape.functions else len(self._text)
        children = [*(symbol for start, symbol in variables if start < first_function), *functions]
        end = len(self._text.rstrip())
        first_line = self._text.find(b"\n")
        symbol = self._symbol(
            name, types.SymbolKind.Module, 0, end, 0, min(first_line if first_line >= 0 else end, end), detail
        )
        symbol.children = children
        return symbol

    def _function(
        self, function: FunctionOutline, variables: Children, slots: Children
    ) -> types.DocumentSymbol:
        symbol = self._symbol(
            function.name,
            types.SymbolKind.Function,
            function.start,
            function.end,
            function.start,
            function.head_end,
        )
        own = [symbol for start, symbol in variables if function.start <= start < function.end]
        symbol.children = [*own, *self._parts(function.parts, slots)]
        return symbol

    def _parts(
        self, parts: Sequence[BlockOutline | ConstructOutline], slots: Children
    ) -> list[types.DocumentSymbol]:
        """Create the symbols of blocks, ifs and loops, each with the slots that are first accessed in it."""
        found = []
        for part in parts:
            if self._parts_left <= 0:
                break
            self._parts_left -= 1
            inner = getattr(part, "parts", None)
            kind = types.SymbolKind.Namespace if inner is None else types.SymbolKind.Operator
            symbol = self._symbol(part.name, kind, part.start, part.end, part.start, part.label_end)
            here = [(start, slot) for start, slot in slots if part.start <= start < part.end]
            symbol.children = [slot for _, slot in here] if inner is None else self._parts(inner, here)
            found.append(symbol)
        return found

    def _variable(self, name: Name) -> types.DocumentSymbol:
        start = self._text.rfind(b"\n", 0, name.start) + 1
        mode = self._text[start : name.start].split()[1:2]
        return self._symbol(
            name.text,
            types.SymbolKind.Variable,
            start,
            name.end,
            name.start,
            detail=to_text(mode[0]) if mode else None,
        )

    def _symbol(
        self,
        name: str,
        kind: types.SymbolKind,
        start: int,
        end: int,
        name_start: int,
        name_end: int | None = None,
        detail: str | None = None,
    ) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=name,
            detail=detail,
            kind=kind,
            range=self._range(start, end),
            selection_range=self._range(name_start, end if name_end is None else name_end),
        )

    def _range(self, start: int, end: int) -> types.Range:
        return range_of(self._client, self._dump, start, end)


def pass_before(document: Document, dump: PlacedDump) -> str | None:
    """Return the pass that printed a dump of a log, or the heading above it."""
    return _made_by(_text_above(document, dump))


def _text_above(document: Document, dump: PlacedDump) -> bytes:
    """Return the last lines of the text between the previous dump and this one."""
    above = document.snapshot.pieces[dump.index - 1] if dump.index else None
    return b"" if above is None or above.is_dump else above.text[-_TEXT_ABOVE:]


def _made_by(above: bytes) -> str | None:
    """Return the pass that printed a dump, or the heading above it."""
    between = read_text_between(above)
    made_by = between.heading if between.owner is None else between.owner.name
    return None if made_by is None else made_by[:_LONGEST_DETAIL]


def _last_line(above: bytes) -> str:
    return to_text(above.rstrip().rpartition(b"\n")[2].strip())[:_LONGEST_DETAIL]


def _flattened(
    symbol: types.DocumentSymbol, uri: str, container: str | None
) -> Iterator[types.SymbolInformation]:
    """Yield a symbol and its descendants for clients without hierarchical symbols."""
    location = types.Location(uri, symbol.range)
    yield types.SymbolInformation(location, symbol.name, symbol.kind, container_name=container)
    for child in symbol.children or ():
        yield from _flattened(child, uri, symbol.name)
