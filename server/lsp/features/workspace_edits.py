"""Edits of dumps as the workspace edit of LSP, for the version of the document that they were made for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.positions import plain_range
from nirls.server.engine.workspace import Document
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.ir.text.edits import TextEdit


UNCHECKED = "unchecked"
_ANNOTATIONS = {
    UNCHECKED: {
        "label": "Unchecked change",
        "needsConfirmation": True,
        "description": "The shader could not be run before and after to compare the results.",
    }
}


def text_edits(
    server: NirlsServer, dump: PlacedDump, edits: Iterable[TextEdit], *, is_unchecked: bool = False
) -> list[dict[str, Any]]:
    """The edits of one dump as LSP has them; the client asks before it makes unchecked ones, if it can."""
    encoding = server.client.encoding
    placed = (dump.edit(edit.start, edit.end, edit.new_text, encoding) for edit in edits)
    found: list[dict[str, Any]] = [
        {"range": plain_range(range_), "newText": new_text} for range_, new_text in placed
    ]
    if is_unchecked and server.client.change_annotations:
        for edit in found:
            edit["annotationId"] = UNCHECKED
    return found


def workspace_edit(
    server: NirlsServer, changes: Iterable[tuple[Document, list[dict[str, Any]]]]
) -> dict[str, Any]:
    """A workspace edit of some documents, of which each may come several times.

    Versioned where the client takes that: it then makes no edit of a text that it has no more.
    """
    by_uri: dict[str, dict[str, Any]] = {}
    for document, edits in changes:
        version = document.snapshot.version if document.is_open else None
        identifier = {"uri": document.uri, "version": version}
        change = by_uri.setdefault(document.uri, {"textDocument": identifier, "edits": []})
        change["edits"] += edits
    if server.client.document_changes:
        edit: dict[str, Any] = {"documentChanges": list(by_uri.values())}
        if any("annotationId" in one for change in by_uri.values() for one in change["edits"]):
            edit["changeAnnotations"] = _ANNOTATIONS
        return edit
    return {"changes": {uri: change["edits"] for uri, change in by_uri.items()}}


async def apply_edit(server: NirlsServer, label: str, edit: dict[str, Any]) -> bool:
    """Let the client make a workspace edit; True if it did."""
    params = server.protocol.structured({"label": label, "edit": edit}, types.ApplyWorkspaceEditParams)
    answer = await server.workspace_apply_edit_async(params)
    return bool(answer.applied)
