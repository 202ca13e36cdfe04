"""Conversion of dump edits to LSP workspace edits for one document version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from nirls.ir.text.edits import TextEdit
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.conversion import lsp_range
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import UNKNOWN_VERSION

UNCHECKED = "unchecked"
_ANNOTATIONS: dict[str, types.ChangeAnnotation] = {
    UNCHECKED: types.ChangeAnnotation(
        label="Unchecked change",
        needs_confirmation=True,
        description="The shader could not be run before and after to compare the results.",
    )
}

Edit = types.TextEdit | types.AnnotatedTextEdit


def text_edits(
    server: NirlsServer, dump: PlacedDump, edits: Iterable[TextEdit], *, is_unchecked: bool = False
) -> list[Edit]:
    """Convert the edits of one dump; unchecked edits need confirmation if the client supports it."""
    encoding = server.client.encoding
    placed = (dump.edit(edit.start, edit.end, edit.new_text, encoding) for edit in edits)
    if is_unchecked and server.client.change_annotations:
        return [types.AnnotatedTextEdit(UNCHECKED, lsp_range(range_), text) for range_, text in placed]
    return [types.TextEdit(lsp_range(range_), text) for range_, text in placed]


def workspace_edit(
    server: NirlsServer, changes: Iterable[tuple[Document, Sequence[Edit]]]
) -> types.WorkspaceEdit:
    """Combine edits into a workspace edit; a document may occur several times.

    Versioned if the client supports it, so that the client rejects edits of an outdated text.
    """
    by_uri: dict[str, list[Edit]] = {}
    versions: dict[str, int | None] = {}
    for document, edits in changes:
        version = document.snapshot.version
        versions[document.uri] = version if document.is_open and version != UNKNOWN_VERSION else None
        by_uri.setdefault(document.uri, []).extend(edits)
    if server.client.document_changes:
        documents = [
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), edits)
            for uri, edits in by_uri.items()
        ]
        is_annotated = any(
            isinstance(edit, types.AnnotatedTextEdit) for edits in by_uri.values() for edit in edits
        )
        return types.WorkspaceEdit(
            document_changes=documents, change_annotations=_ANNOTATIONS if is_annotated else None
        )
    changes_of: dict[str, Sequence[types.TextEdit]] = {
        uri: [edit for edit in edits if isinstance(edit, types.TextEdit)] for uri, edits in by_uri.items()
    }
    return types.WorkspaceEdit(changes=changes_of)


async def apply_edit(server: NirlsServer, label: str, edit: types.WorkspaceEdit) -> bool:
    """Request the client to apply a workspace edit; return whether it did."""
    params = types.ApplyWorkspaceEditParams(edit, label)
    answer = await server.workspace_apply_edit_async(params)
    return bool(answer.applied)
