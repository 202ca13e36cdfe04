"""The command `nirls.renumber`: values and blocks of a dump in printed order."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.features.rename import REQUEST_FAILED
from nirls.server.lsp.features.workspace_edits import Edit, apply_edit, text_edits, workspace_edit
from nirls.server.lsp.nirls_server import NirlsServer

RENUMBER = "nirls.renumber"


def register(server: NirlsServer) -> None:
    """Declare the command."""

    @server.own_command(RENUMBER, otherwise=False)
    async def renumber(*arguments: Any) -> bool:
        """Renumber a dump, or all dumps. Arguments: URI, optionally the dump number from 0.

        Returns whether the edit was applied. Raises JsonRpcException if a dump defines a number twice.
        """
        document = server.document(str(arguments[0])) if arguments else None
        if document is None:
            return False
        number = arguments[1] if len(arguments) > 1 else None
        dumps = [dump for dump in document.snapshot.dumps() if number is None or dump.number == number]
        edits = [edit for dump in dumps for edit in _edits(server, document, dump)]
        if not edits:
            return False
        return await apply_edit(server, "Renumber", workspace_edit(server, [(document, edits)]))


def _edits(server: NirlsServer, document: Document, dump: PlacedDump) -> list[Edit]:
    from nirls.server.ide.numbering import NotNumberedError, renumbering_edits

    try:
        found = renumbering_edits(document.state(dump.piece).shader)
    except NotNumberedError as error:
        message = f"Dump {dump.number + 1} cannot be renumbered: {error}."
        raise JsonRpcException(message, REQUEST_FAILED) from error
    return text_edits(server, dump, found)
