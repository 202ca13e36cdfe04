"""The dumps of a document, as long as its text stays the same."""

from __future__ import annotations

from collections.abc import Iterator

from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document


def current_dumps(document: Document) -> Iterator[PlacedDump]:
    """Yield the dumps in order, for work in a thread, which cannot be cancelled.

    Raises JsonRpcContentModified once the text has changed.
    """
    snapshot = document.snapshot
    for dump in snapshot.dumps():
        if document.snapshot is not snapshot:
            raise JsonRpcContentModified(f"{document.uri} changed meanwhile")
        yield dump
