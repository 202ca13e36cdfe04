"""Workspace symbols: dumps, functions, variables and named values of open documents and workspace files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.base.timing import TimeSlices
from nirls.server.engine.documents.document import Piece, PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.symbol_search import Name, dump_title, matches, names_of, snapshot_title
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.features.symbols import pass_before
from nirls.server.lsp.nirls_server import NirlsServer

MOST_SYMBOLS = 500
"""Largest number of symbols per response; editors repeat the request as the query grows."""

_KINDS = {
    "dump": types.SymbolKind.Module,
    "function": types.SymbolKind.Function,
    "variable": types.SymbolKind.Variable,
    "value": types.SymbolKind.Field,
}


def register(server: NirlsServer) -> None:
    known: WeakKeyDictionary[Piece, tuple[tuple[Name, ...], frozenset[str]]] = WeakKeyDictionary()

    def names_in(document: Document, dump: PlacedDump) -> tuple[tuple[Name, ...], frozenset[str]]:
        """Return the names of a dump, and the set of letters in them."""
        found = known.get(dump.piece)
        if found is None:
            state = document.state(dump.piece)
            names = tuple(names_of(state.text, state.of_text(outline)))
            letters = frozenset().union(*(name.text.lower() for name in names))
            found = known[dump.piece] = (names, letters)
        return found

    @server.handler(types.WORKSPACE_SYMBOL, otherwise=[])
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        found: list[types.SymbolInformation] = []
        slices = TimeSlices()
        wanted = set(params.query.lower().replace(" ", ""))
        async for document, dump in _all_dumps(server):
            names, letters = names_in(document, dump)
            made_by = pass_before(document, dump)
            if made_by is not None and matches(made_by, params.query):
                title = snapshot_title(document.state(dump.piece).of_text(outline), made_by, dump.number + 1)
                found.append(_symbol(server, document, dump, replace(names[0], text=title), title))
            for name in names if wanted <= letters else ():
                if matches(name.text, params.query):
                    title = dump_title(document.state(dump.piece).of_text(outline))
                    found.append(_symbol(server, document, dump, name, title))
            if len(found) >= MOST_SYMBOLS:
                return found[:MOST_SYMBOLS]
            await slices.pause_if_over()
        return found


async def _all_dumps(server: NirlsServer) -> AsyncIterator[tuple[Document, PlacedDump]]:
    for document in server.documents:
        for dump in document.snapshot.dumps():
            yield document, dump
    async for document in server.files.closed_documents():
        for dump in document.snapshot.dumps():
            yield document, dump


def _symbol(
    server: NirlsServer, document: Document, dump: PlacedDump, name: Name, title: str
) -> types.SymbolInformation:
    kind = _KINDS[name.kind.value]
    container = document.name if name.kind.value == "dump" else f"{document.name}, {title}"
    range_ = range_of(server.client, dump, name.start, name.end)
    return types.SymbolInformation(
        types.Location(document.uri, range_), name.text, kind, container_name=container
    )
