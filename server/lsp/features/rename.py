"""Rename and prepareRename."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.ide.rename import RenameError, can_rename, rename_edits
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.cursor import cursor_at, entity_at
from nirls.server.lsp.answers.workspace_edits import text_edits, workspace_edit
from nirls.server.lsp.nirls_server import NirlsServer, RequestFailedError


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_PREPARE_RENAME, reads_ir=True)
    def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        if not can_rename(entity):
            return None
        range_ = range_of(server.client, cursor.dump, token.start, token.end)
        return types.PrepareRenamePlaceholder(range_, token.text.decode("utf-8", "replace"))

    @server.handler(types.TEXT_DOCUMENT_RENAME, reads_ir=True)
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None:
            return None
        found = cursor.entity()
        if found is None:
            raise RequestFailedError(
                "There is no value, block, register, variable or function at the cursor."
            )
        try:
            edits = rename_edits(cursor.state.shader, *found, params.new_name)
        except RenameError as error:
            raise RequestFailedError(str(error)) from error
        return workspace_edit(server, [(cursor.document, text_edits(server, cursor.dump, edits))])
