"""Commands of the server: run the passes now, apply a pass, show repeated findings, renumber a dump."""

from __future__ import annotations

import asyncio
from typing import Any

from nirls.ir.finding import FixRequest
from nirls.passes import registry
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.workspace import Document
from nirls.server.ide.history.numbering import NotNumberedError, renumbering_edits
from nirls.server.lsp.answers.workspace_edits import Edit, apply_edit, text_edits, workspace_edit
from nirls.server.lsp.features.allow_actions import SHOW_REPEATED, show_repeated
from nirls.server.lsp.features.code_actions import edit_of_fix
from nirls.server.lsp.features.configuration import refresh_settings_of
from nirls.server.lsp.nirls_server import NirlsServer, RequestFailedError

RUN_PASSES = "nirls.runPasses"
APPLY_PASS = "nirls.applyPass"
RENUMBER = "nirls.renumber"


def register(server: NirlsServer) -> None:
    @server.handler(RUN_PASSES)
    async def run_passes(*arguments: Any) -> None:
        """Run the passes on the documents of the URIs, or on all open ones. Returns when they are done."""
        uris = [argument for argument in arguments if isinstance(argument, str)]
        documents = [one for one in server.documents if not uris or one.uri in uris]
        for document in documents:
            refresh_settings_of(server, document)
            server.scheduler.saved(document)
        for document in documents:
            await server.scheduler.passes_have_run(document)

    @server.handler(APPLY_PASS, otherwise=False)
    async def apply(*arguments: Any) -> bool:
        """Apply a pass. Arguments: URI, dump number from 0, pass name. True if applied.

        Raises FixError if the text changed meanwhile or the pass reached its time limit.
        """
        uri, number, name = arguments
        await asyncio.to_thread(registry.all_passes)
        document, declared = server.document(str(uri)), registry.find(str(name))
        if document is None or declared is None:
            return False
        dump = next((dump for dump in document.snapshot.dumps() if dump.number == number), None)
        request = FixRequest(declared.name, "", "pass")
        edit = None if dump is None else await edit_of_fix(server, document, dump, request)
        if edit is None:
            return False
        return await apply_edit(server, f"Run {declared.name}", edit)

    @server.handler(SHOW_REPEATED, otherwise=False)
    async def show_repeated_findings(*arguments: Any) -> bool:
        """Show the findings of a dump that newer snapshots repeat. Arguments: URI, dump number from 0."""
        uri, number = arguments
        document = server.document(str(uri))
        if document is None or not show_repeated(document, int(number)):
            return False
        await server.announcer.publish(document)
        return True

    @server.handler(RENUMBER, otherwise=False)
    async def renumber(*arguments: Any) -> bool:
        """Renumber a dump, or all dumps. Arguments: URI, optionally the dump number from 0.

        Returns whether the edit was applied. Raises RequestFailedError if a dump defines a number twice.
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
    try:
        found = renumbering_edits(document.state(dump.piece).shader)
    except NotNumberedError as error:
        raise RequestFailedError(f"Dump {dump.number + 1} cannot be renumbered: {error}.") from error
    return text_edits(server, dump, found)
