"""Texts that the server writes to temporary files for the client to show."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lsprotocol import types

from nirls.server.lsp.nirls_server import NirlsServer


def show_text(server: NirlsServer, name: str, text: str, line: int | None = None) -> str:
    """Write a text to a new temporary file of that name, have the client show it, and return the path.

    `line` is to be in view. A client that cannot show documents gets a message with the path.
    """
    path = Path(tempfile.mkdtemp(prefix="nirls-")) / name
    path.write_text(text, encoding="utf-8")
    if server.client.shows_documents:
        place = None if line is None else types.Range(types.Position(line, 0), types.Position(line, 0))
        shown = types.ShowDocumentParams(path.as_uri(), take_focus=True, selection=place)
        server.window_show_document(shown, None)
    else:
        server.say(f"Written: {path}")
    return str(path)
