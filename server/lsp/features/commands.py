"""Commands of the server: run the passes now, apply a pass, show repeated findings, renumber a dump."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from nirls.ir.finding import FixRequest
from nirls.passes import registry
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.history.numbering import NotNumberedError, renumbering_edits
from nirls.server.lsp.answers.workspace_edits import Edit, apply_edit, text_edits, workspace_edit
from nirls.server.lsp.features.allow_actions import SHOW_REPEATED, show_repeated
from nirls.server.lsp.features.code_actions import edit_of_fix
from nirls.server.lsp.features.configuration import refresh_settings_of
from nirls.server.lsp.nirls_server import NirlsServer, RequestFailedError

RUN_PASSES = "nirls.runPasses"
APPLY_PASS = "nirls.applyPass"
RENUMBER = "nirls.renumber"


@dataclass(frozen=True, slots=True)
class ApplyPass:
    """Arguments: a document, the number of a dump from 0, and a pass."""

    uri: str
    dump: int
    pass_name: str


@dataclass(frozen=True, slots=True)
class ShowRepeated:
    """Arguments: a document, and the number of a dump from 0."""

    uri: str
    dump: int


@dataclass(frozen=True, slots=True)
class Renumber:
    """Arguments: a document, and the number of a dump from 0, all dumps without one."""

    uri: str
    dump: int | None = None


def register(server: NirlsServer) -> None:
    @server.handler(RUN_PASSES)
    async def run_passes(*arguments: Any) -> None:
        """Run the passes on the documents of the URIs, or on all open ones. Returns when they are done."""
        uris = [argument for argument in arguments if isinstance(argument, str)]
        documents = [document for document in server.documents if not uris or document.uri in uris]
        for document in documents:
            refresh_settings_of(server, document)
            server.scheduler.saved(document)
        for document in documents:
            await server.scheduler.passes_have_run(document)

    @server.command_handler(APPLY_PASS, ApplyPass, otherwise=False)
    async def apply(asked: ApplyPass) -> bool:
        """Apply a pass; return whether it was applied.

        Raises FixError if the text changed meanwhile or the pass reached its time limit.
        """
        await asyncio.to_thread(registry.all_passes)
        document, declared = server.document(asked.uri), registry.find(asked.pass_name)
        if document is None or declared is None:
            return False
        dump = next((dump for dump in document.snapshot.dumps() if dump.number == asked.dump), None)
        request = FixRequest(declared.name, "", "pass")
        edit = None if dump is None else await edit_of_fix(server, document, dump, request)
        if edit is None:
            return False
        return await apply_edit(server, f"Run {declared.name}", edit)

    @server.command_handler(SHOW_REPEATED, ShowRepeated, otherwise=False)
    async def show_repeated_findings(asked: ShowRepeated) -> bool:
        """Show the findings of a dump that newer snapshots repeat."""
        document = server.document(asked.uri)
        if document is None or not show_repeated(document, asked.dump):
            return False
        await server.announcer.publish(document)
        return True

    @server.command_handler(RENUMBER, Renumber, otherwise=False)
    async def renumber(asked: Renumber) -> bool:
        """Renumber a dump, or all dumps.

        Returns whether the edit was applied. Raises RequestFailedError if a dump defines a number twice.
        """
        document = server.document(asked.uri)
        if document is None:
            return False
        dumps = [dump for dump in document.snapshot.dumps() if asked.dump in (None, dump.number)]
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
