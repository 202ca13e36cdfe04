"""The dumps below the workspace folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.documents import workspace_files
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.documents.workspace_files import WorkspaceFiles

DUMP = "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.vert.nir", "below/b.nir", ".hidden/c.nir", "node_modules/d.nir", "e.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(DUMP)
    (tmp_path / "empty.nir").write_text("no dump at all")
    return tmp_path


async def names(files: WorkspaceFiles) -> list[str]:
    return [document.name async for document in files.closed_documents()]


async def test_dumps_are_found(folder: Path) -> None:
    files = WorkspaceFiles(Workspace())
    assert await names(files) == []
    files.add_folders([folder.as_uri(), "untitled:nowhere"])
    assert await names(files) == ["a.vert.nir", "b.nir"]
    assert files.holds(folder / "below" / "b.nir")
    assert not files.holds(folder.parent)
    files.remove_folders([folder.as_uri()])
    assert await names(files) == []


async def test_open_documents_are_left_out(folder: Path) -> None:
    workspace = Workspace()
    files = WorkspaceFiles(workspace)
    files.add_folders([folder.as_uri()])
    workspace.open((folder / "a.vert.nir").as_uri(), DUMP, 1)
    assert await names(files) == ["b.nir"]


async def test_what_comes_and_goes(folder: Path) -> None:
    files = WorkspaceFiles(Workspace())
    files.add_folders([folder.as_uri()])
    await names(files)
    (folder / "new.nir").write_text(DUMP)
    (folder / "a.vert.nir").unlink()
    files.invalidate()
    assert await names(files) == ["b.nir", "new.nir"]


async def test_there_is_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_files, "MOST_FILES", 1)
    files = WorkspaceFiles(Workspace())
    files.add_folders([folder.as_uri()])
    assert len(await names(files)) <= 1


async def test_a_large_file_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_files, "LARGEST_FILE", 10)
    files = WorkspaceFiles(Workspace())
    files.add_folders([folder.as_uri()])
    assert await names(files) == []
