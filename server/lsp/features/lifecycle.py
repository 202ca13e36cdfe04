"""Connection and documents: initialize, open, change, save, close, shutdown."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.lsp.client import Client
from nirls.server.lsp.client_process import end_with
from nirls.server.lsp.features.configuration import refresh_settings_of, use_first_folders
from nirls.server.lsp.features.diagnostics import register_pull
from nirls.server.lsp.features.pass_failures import listen
from nirls.server.lsp.log_records import show_errors
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.handler_at_start(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        # A string if negotiated with the client, an enumeration member by default.
        agreed = server.workspace.position_encoding
        encoding = Encoding(str(getattr(agreed, "value", agreed)))
        end_with(params.process_id)
        show_errors(server)
        server.client = Client.of(server.protocol.plain(params.capabilities), encoding)
        general = ClientSettings.of(params.initialization_options)
        server.analyzers.use_settings(FolderSettings(general))
        use_first_folders(server, params)
        listen(server)
        server.link_watch.is_on = server.client.refreshes_lenses or server.client.refreshes_hints
        if server.client.pulls_diagnostics:
            register_pull(server)

    @server.handler_at_start(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        server.scheduler.closed(item.uri)
        server.requests.end(item.uri)
        document = server.documents.open(item.uri, item.text, item.version)
        server.scheduler.opened(document)
        server.project_files.publish([document])
        server.link_watch.schedule()

    @server.handler_at_start(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = server.document(params.text_document.uri)
        if document is None:
            return
        server.requests.end(document.uri)
        changes = [_change(change) for change in params.content_changes]
        document.change(changes, params.text_document.version, server.client.encoding)
        server.scheduler.edited(document)
        server.link_watch.schedule()

    @server.handler_at_start(types.TEXT_DOCUMENT_WILL_SAVE)
    @server.with_document
    def will_save(document: Document, _: types.WillSaveTextDocumentParams) -> None:
        # Start the passes that run on save now: the text is final, and writing the file takes time.
        refresh_settings_of(server, document)
        server.scheduler.saved(document)

    @server.handler_at_start(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    @server.with_document
    def did_save(document: Document, _: types.DidSaveTextDocumentParams) -> None:
        refresh_settings_of(server, document)
        server.scheduler.saved(document)
        if server.client.refreshes_lenses:
            # The savings are also shown above the other linked stages.
            server.workspace_code_lens_refresh(None)

    @server.handler_at_start(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        linked_with = _open_partners(server, uri)
        server.scheduler.closed(uri)
        server.requests.end(uri)
        server.documents.close(uri)
        for document in linked_with:
            # They are now linked with the file on disk, or unlinked.
            server.scheduler.saved(document)
        server.link_watch.schedule()
        if not server.client.pulls_diagnostics:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _open_partners(server: NirlsServer, uri: str) -> list[Document]:
    """Return the other open documents linked with a document."""
    document = server.document(uri)
    pipelines = [] if document is None else server.linker.pipelines_of(document)
    members = [member.document for linked in pipelines for member in linked.members]
    return list(
        {member.uri: member for member in members if member.is_open and member is not document}.values()
    )


def _change(change: types.TextDocumentContentChangeEvent) -> TextChange:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return TextChange(None, change.text)
    start, end = change.range.start, change.range.end
    range_ = Range(Position(start.line, start.character), Position(end.line, end.character))
    return TextChange(range_, change.text)
