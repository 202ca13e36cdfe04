"""A real server over stdio, for one test at a time, with a client that can do everything VS Code can."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from nirls.server.engine.documents.positions import Encoding, LineIndex

SERVE = "from nirls.server.lsp.language_server import serve_stdio; serve_stdio()"
URI = "file:///somewhere/log.nir"


def capabilities(*, pull: bool) -> types.ClientCapabilities:
    """What a client says it can do."""
    related = {"related_information": True, "code_description_support": True, "data_support": True}
    tags = types.ClientDiagnosticsTagOptions([types.DiagnosticTag.Unnecessary])
    literals = types.ClientCodeActionLiteralOptions(
        types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
    )
    return types.ClientCapabilities(
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            configuration=True,
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if pull else None,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            workspace_folders=True,
        ),
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities(tag_support=tags, **related) if pull else None,
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(tag_support=tags, **related),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(
                    snippet_support=True, documentation_format=[types.MarkupKind.Markdown]
                )
            ),
            rename=types.RenameClientCapabilities(prepare_support=True),
            synchronization=types.TextDocumentSyncClientCapabilities(will_save=True, did_save=True),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=literals,
                data_support=True,
                resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
            ),
        ),
    )


class Editor:
    """A client with one document: its text, and what an editor does with it."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.text = ""
        self.uri = URI
        self.version = 0

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def open(self, text: str, uri: str = URI) -> None:
        self.text, self.uri, self.version = text, uri, 1
        item = types.TextDocumentItem(uri, "nir", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, old: str, new: str) -> None:
        """Replace the first `old` of the text, as one incremental change."""
        start = self.text.index(old)
        range_ = types.Range(self.position(start), self.position(start + len(old)))
        self.text = self.text[:start] + new + self.text[start + len(old) :]
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
                [types.TextDocumentContentChangePartial(range_, new)],
            )
        )

    def save(self) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document))

    def position(self, offset: int) -> types.Position:
        before = self.text[:offset].encode("utf-8", "surrogatepass")
        index = LineIndex(self.text.encode("utf-8", "surrogatepass"))
        return types.Position(*index.position(len(before), Encoding.UTF16))

    def at(self, mark: str, inside: int = 0) -> types.Position:
        """The position of the first `mark` of the text, some characters in."""
        return self.position(self.text.index(mark) + inside)

    def of(self, range_: types.Range) -> str:
        """The text of a range."""
        index = LineIndex(self.text.encode())
        start, end = (
            index.offset(place.line, place.character, Encoding.UTF16) for place in (range_.start, range_.end)
        )
        return self.text.encode()[start:end].decode()

    def apply(self, edits: list[types.TextEdit]) -> None:
        """Make edits of the server's, all at once, and tell the server the new text."""
        data = self.text.encode()
        index = LineIndex(data)
        places = [
            (
                index.offset(edit.range.start.line, edit.range.start.character, Encoding.UTF16),
                index.offset(edit.range.end.line, edit.range.end.character, Encoding.UTF16),
                edit.new_text.encode(),
            )
            for edit in edits
        ]
        for start, end, new in sorted(places, reverse=True):
            data = data[:start] + new + data[end:]
        self.text = data.decode()
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
                [types.TextDocumentContentChangeWholeDocument(self.text)],
            )
        )

    async def diagnostics(
        self, until: Callable[[list[types.Diagnostic]], bool] = lambda _: True
    ) -> list[types.Diagnostic]:
        """The diagnostics pushed for the version of the text now, once they are as they should be."""
        async with asyncio.timeout(90):
            while True:
                found = self.client.diagnostics.get(self.uri)
                if (
                    found is not None
                    and self.client.diagnostic_versions.get(self.uri) == self.version
                    and until(list(found))
                ):
                    return list(found)
                await asyncio.sleep(0.01)


CONFIG = ClientServerConfig(server_command=[sys.executable, "-c", SERVE])


async def _start(client: LanguageClient, *, pull: bool) -> None:
    client.diagnostic_versions = {}

    def published(params: types.PublishDiagnosticsParams) -> None:
        client.diagnostics[params.uri] = params.diagnostics
        client.diagnostic_versions[params.uri] = params.version

    # pytest-lsp's own handler does not keep the versions.
    client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
    parameters = types.InitializeParams(capabilities=capabilities(pull=pull), workspace_folders=[])
    await client.initialize_session(parameters)


@pytest_lsp.fixture(config=CONFIG)
async def pushed_client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await _start(lsp_client, pull=False)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CONFIG)
async def pulling_client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await _start(lsp_client, pull=True)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(pushed_client: LanguageClient) -> Editor:
    """An editor that diagnostics are pushed to."""
    return Editor(pushed_client)


@pytest.fixture
def pulling_editor(pulling_client: LanguageClient) -> Editor:
    """An editor that pulls its diagnostics."""
    return Editor(pulling_client)


@pytest.fixture
def tinted(data: Path) -> str:
    """A vertex and a fragment shader in one document, with outputs that nobody reads."""
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    return "nir_opt_dce\n".join(stages)
