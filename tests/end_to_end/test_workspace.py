"""Several documents, folders and files: what the workspace as a whole answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.end_to_end.conftest import CONFIG, capabilities

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: 𝄞 größe
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f800000 = 1.000000)
    32     %1 = fadd %0 (1.000000), %5  /* 𝄞é */
                // succs: b1
    block b1:
}
"""


@pytest.fixture
def folder(tmp_path: Path, data: Path) -> Path:
    for stage in ("vert", "frag"):
        copy(data / "pipelines" / f"tinted.{stage}.nir", tmp_path)
    return tmp_path


class Reports:
    """The answers to workspace/diagnostic, and what they leave known."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.ids: dict[str, str] = {}
        self.found: dict[str, list[types.Diagnostic]] = {}

    async def pull(self) -> list[str]:
        """The kinds of the reports by file name, sorted."""
        previous = [types.PreviousResultId(uri, value) for uri, value in self.ids.items()]
        answer = await self.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))
        kinds = []
        for item in answer.items:
            if isinstance(item, types.WorkspaceFullDocumentDiagnosticReport):
                self.found[item.uri] = list(item.items)
            if item.result_id is not None:
                self.ids[item.uri] = item.result_id
            else:
                self.ids.pop(item.uri, None)
            kinds.append(f"{item.uri.rpartition('/')[2]} {item.kind}")
        return sorted(kinds)

    async def until(self, name: str, code: str) -> None:
        async with asyncio.timeout(60):
            while not any(
                one.code == code for uri in self.found if uri.endswith(name) for one in self.found[uri]
            ):
                await self.pull()
                await asyncio.sleep(0.05)


async def change_folders(client: LanguageClient, added: list[Path], removed: list[Path]) -> None:
    folders = [
        [types.WorkspaceFolder(path.as_uri(), path.name) for path in paths] for paths in (added, removed)
    ]
    change = types.WorkspaceFoldersChangeEvent(added=folders[0], removed=folders[1])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))


async def test_findings_of_files_that_are_not_open(pulling_editor: Editor, folder: Path) -> None:
    reports = Reports(pulling_editor.client)
    assert await reports.pull() == []
    await change_folders(pulling_editor.client, [folder], [])
    await reports.until("tinted.vert.nir", "dead-output")
    assert await reports.pull() == ["tinted.frag.nir unchanged", "tinted.vert.nir unchanged"]
    # A file that is open is reported as it is in the editor.
    path = folder / "tinted.frag.nir"
    pulling_editor.open(path.read_text().replace("fmul %33, %35", "fmul %33, %9999"), path.as_uri())
    await reports.until("tinted.frag.nir", "undefined-value")
    # What is gone is taken back.
    await change_folders(pulling_editor.client, [], [folder])
    assert "tinted.vert.nir full" in await reports.pull()
    assert reports.found[(folder / "tinted.vert.nir").as_uri()] == []


async def test_files_that_change_on_disk(pulling_editor: Editor, folder: Path) -> None:
    reports = Reports(pulling_editor.client)
    await change_folders(pulling_editor.client, [folder], [])
    await reports.until("tinted.vert.nir", "dead-output")
    path = folder / "tinted.frag.nir"
    path.write_text(path.read_text().replace("fmul %33, %35", "fmul %33, %9999"))
    (folder / "new.nir").write_text(DUMP)
    events = [
        types.FileEvent(path.as_uri(), types.FileChangeType.Changed),
        types.FileEvent((folder / "new.nir").as_uri(), types.FileChangeType.Created),
    ]
    pulling_editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
    await reports.until("tinted.frag.nir", "undefined-value")
    await reports.until("new.nir", "undefined-value")


async def test_files_can_be_left_out(pulling_editor: Editor, folder: Path) -> None:
    client = pulling_editor.client
    client.set_configuration({"workspaceDiagnostics": False}, section="nirls")
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await change_folders(client, [folder], [])
    for _ in range(2):
        await client.workspace_symbol_async(types.WorkspaceSymbolParams(""))
    assert await Reports(client).pull() == []


@pytest.mark.parametrize(
    "uri",
    ["untitled:Untitled-1", "vscode-vfs://github/somebody/shaders/a.nir", "git:/somewhere/a.nir?ref=HEAD"],
)
async def test_documents_that_are_no_files(editor: Editor, uri: str) -> None:
    editor.open(DUMP, uri)
    found = await editor.diagnostics(lambda found: bool(found))
    assert [editor.of(item.range) for item in found] == ["%5"]
    place = editor.at("%0 =", 1)
    client, document = editor.client, editor.document
    assert await client.text_document_hover_async(types.HoverParams(document, place)) is not None
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert not await client.text_document_document_link_async(types.DocumentLinkParams(document))
    edit = await client.text_document_rename_async(types.RenameParams(document, place, "%9"))
    assert edit.document_changes[0].text_document.uri == uri
    editor.type("%5", "%0")
    await editor.diagnostics(lambda found: not found)
    editor.save()
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert await client.text_document_hover_async(types.HoverParams(document, place)) is None


async def test_saving_begins_before_the_file_is_written(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(lambda found: any(item.code == "dead-output" for item in found))
    editor.type("impl main {\n", "impl main {\n\n")
    reason = types.TextDocumentSaveReason.Manual
    editor.client.text_document_will_save(types.WillSaveTextDocumentParams(editor.document, reason))
    await editor.diagnostics(lambda found: any(item.code == "dead-output" for item in found))


@pytest_lsp.fixture(config=CONFIG)
async def plain_client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


@pytest.mark.parametrize(
    ("offered", "chosen", "column"),
    [
        (None, "utf-16", "𝄞é".encode("utf-16-le")),
        (["utf-8", "utf-16"], "utf-8", "𝄞é".encode()),
        (["utf-32"], "utf-32", b"xx"),
        (["utf-16"], "utf-16", "𝄞é".encode("utf-16-le")),
        (["utf-7", "utf-8"], "utf-8", "𝄞é".encode()),
    ],
)
async def test_positions_in_the_units_agreed_on(
    plain_client: LanguageClient, offered: list[str] | None, chosen: str, column: bytes
) -> None:
    able = capabilities(pull=False)
    able.general = types.GeneralClientCapabilities(position_encodings=offered)
    answer = await plain_client.initialize_session(types.InitializeParams(able, workspace_folders=[]))
    assert answer.capabilities.position_encoding == chosen
    units = len(column) // 2 if chosen == "utf-16" else len(column)
    text = DUMP.replace("%5  /* 𝄞é */", "%5  // 𝄞é %0 %0")
    item = types.TextDocumentItem("untitled:a", "nir", 1, text)
    plain_client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    document = types.TextDocumentIdentifier("untitled:a")
    line = text[: text.index("%0 =")].count("\n")
    edit = await plain_client.text_document_rename_async(
        types.RenameParams(document, types.Position(line, 12), "%3")
    )
    last = edit.document_changes[0].edits[-1]
    behind = text.splitlines()[line + 1]
    before = behind.index("𝄞é") + units + len(" %0 %")
    assert (last.range.start.line, last.range.start.character) == (line + 1, before)


async def test_folders_of_the_start(plain_client: LanguageClient, folder: Path) -> None:
    parameters = types.InitializeParams(
        capabilities(pull=False), workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "here")]
    )
    await plain_client.initialize_session(parameters)
    found = await plain_client.workspace_symbol_async(types.WorkspaceSymbolParams("main"))
    assert sorted(one.container_name for one in found) == ["tinted.frag.nir, FS", "tinted.vert.nir, VS"]


async def test_each_folder_has_settings_of_its_own(editor: Editor, tmp_path: Path) -> None:
    client = editor.client
    client.set_configuration({}, section="nirls")
    roots = [tmp_path / name for name in ("one", "other")]
    severity = {roots[0]: types.DiagnosticSeverity.Error, roots[1]: types.DiagnosticSeverity.Hint}
    for root in roots:
        root.mkdir()
        section = {"severity": {"undefined-value": severity[root].name.lower()}}
        client.set_configuration(section, section="nirls", scope_uri=root.as_uri())
    await change_folders(client, roots, [])
    for root in roots:
        editor.open(DUMP, (root / "x.nir").as_uri())
        found = await editor.diagnostics(
            lambda found, root=root: [one.severity for one in found] == [severity[root]]
        )
        assert [one.code for one in found] == ["undefined-value"]
    # The project file of a folder says what the settings do not.
    (roots[0] / "nirls.toml").write_text('[severity]\nundefined-value = "information"\n')
    client.set_configuration({}, section="nirls", scope_uri=roots[0].as_uri())
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    editor.uri = (roots[0] / "x.nir").as_uri()
    await editor.diagnostics(
        lambda found: [one.severity for one in found] == [types.DiagnosticSeverity.Information]
    )
