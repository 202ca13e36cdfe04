"""Edits of dumps as the workspace edit of LSP, for the version of the document that they were made for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.features.conversion import lsp_range
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.ir.text.edits import TextEdit


def text_edits(server: NirlsServer, dump: PlacedDump, edits: Iterable[TextEdit]) -> list[types.TextEdit]:
    """The edits of one dump as LSP has them."""
    encoding = server.client.encoding
    placed = (dump.edit(edit.start, edit.end, edit.new_text, encoding) for edit in edits)
    return [types.TextEdit(lsp_range(range_), new_text) for range_, new_text in placed]


def workspace_edit(
    server: NirlsServer, changes: Iterable[tuple[Document, list[types.TextEdit]]]
) -> types.WorkspaceEdit:
    """A workspace edit of some documents, of which each may come several times.

    Versioned where the client takes that: it then makes no edit of a text that it has no more.
    """
    by_uri: dict[str, list[types.TextEdit]] = {}
    versions: dict[str, int | None] = {}
    for document, edits in changes:
        versions[document.uri] = document.snapshot.version if document.is_open else None
        by_uri.setdefault(document.uri, []).extend(edits)
    if server.client.document_changes:
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), edits
                )
                for uri, edits in by_uri.items()
            ]
        )
    return types.WorkspaceEdit(changes=by_uri)


async def apply_edit(server: NirlsServer, label: str, edit: types.WorkspaceEdit) -> bool:
    """Let the client make a workspace edit; True if it did."""
    params = types.ApplyWorkspaceEditParams(edit, label)
    answer = await server.workspace_apply_edit_async(params)
    return bool(answer.applied)
