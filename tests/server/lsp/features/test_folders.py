"""Workspace folders that come and go, and what that changes for open documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from nirls.server.lsp.features.folders import use_first_folders
from tests.server.lsp.features.dumps import LOADING, STORING

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


@pytest.fixture(autouse=True)
async def started(session: Session) -> None:
    await session.start()


def change(session: Session, added: list[str], removed: list[str]) -> None:
    folders = {
        name: [{"uri": uri, "name": "x"} for uri in uris]
        for name, uris in (("added", added), ("removed", removed))
    }
    session.notify("workspace/didChangeWorkspaceFolders", {"event": folders})


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"workspace_folders": [("file:///a", "a"), ("file:///b%20c", "b")]}, ["/a", "/b c"]),
        ({"root_uri": "file:///a"}, ["/a"]),
        ({"root_path": "/a b"}, ["/a b"]),
        ({"workspace_folders": [], "root_uri": "file:///a"}, []),
        ({}, []),
        ({"workspace_folders": [("vscode-vfs://github/x", "x")]}, []),
        # A path that no URI may have is no reason to fail.
        ({"root_path": ""}, []),
    ],
)
async def test_folders_at_the_start(session: Session, params: dict[str, object], expected: list[str]) -> None:
    folders = params.pop("workspace_folders", None)
    if isinstance(folders, list):
        params["workspace_folders"] = [types.WorkspaceFolder(*one) for one in folders]
    use_first_folders(session.server, types.InitializeParams(types.ClientCapabilities(), **params))  # type: ignore[arg-type]
    assert [str(path) for path in session.server.files.folders] == expected


async def test_folders_come_and_go(session: Session, tmp_path: Path) -> None:
    one, other = (tmp_path / "one").as_uri(), (tmp_path / "other").as_uri()
    change(session, [one, other], [])
    change(session, [], [one, "file:///never/there", "untitled:x"])
    assert session.server.files.folders == (tmp_path / "other",)
    assert session.server.documents.folders == (tmp_path / "other",)
    change(session, [other], [other])
    assert session.server.files.folders == (tmp_path / "other",)


async def test_open_documents_are_linked_anew(session: Session, tmp_path: Path) -> None:
    """A `nirls.toml` may name files of its folder, which are read once that is a workspace folder."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "f.log").write_text(LOADING)
    (tmp_path / "nirls.toml").write_text('[[pipeline]]\nname = "p"\nvert = "v.nir"\nfrag = "deep/f.log"\n')
    change(session, ["file:///elsewhere"], [])
    uri = (tmp_path / "v.nir").as_uri()
    session.open(STORING, uri)
    await session.passes_have_run(uri)
    assert session.server.linker.pipelines_of(session.document(uri)) == []
    change(session, [tmp_path.as_uri()], [])
    await session.passes_have_run(uri)
    assert len(session.server.linker.pipelines_of(session.document(uri))) == 1
