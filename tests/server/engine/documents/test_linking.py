"""Which documents are linked: open ones, files beside them, and what a project file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.documents.linking import Linker, places_by_slot
from nirls.server.engine.documents.workspace import Workspace


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    for stage in ("vert", "frag"):
        source = data / "pipelines" / f"tinted.{stage}.nir"
        (tmp_path / source.name).write_bytes(source.read_bytes())
    return tmp_path


def test_the_file_of_the_next_stage_is_read_from_disk(folder: Path) -> None:
    workspace = Workspace()
    vertex = folder / "tinted.vert.nir"
    document = workspace.open(vertex.as_uri(), vertex.read_text(), 1)
    (linked,) = Linker(workspace).pipelines_of(document)
    assert [member.document.is_open for member in linked.members] == [True, False]
    assert linked.members[1].document.uri == (folder / "tinted.frag.nir").as_uri()
    assert places_by_slot([linked])[linked.members[1].dump.piece.slot] == [(linked, 1)]


def test_an_open_document_comes_before_its_file(folder: Path) -> None:
    workspace = Workspace()
    linker = Linker(workspace)
    documents = [
        workspace.open(path.as_uri(), path.read_text() + "\n// open\n", 1)
        for path in (folder / "tinted.vert.nir", folder / "tinted.frag.nir")
    ]
    for document in documents:
        (linked,) = linker.pipelines_of(document)
        assert [member.document for member in linked.members] == documents


def test_an_edit_can_end_a_pipeline(folder: Path) -> None:
    workspace = Workspace()
    vertex = folder / "tinted.vert.nir"
    text = vertex.read_text()
    linker = Linker(workspace)
    assert linker.pipelines_of(workspace.open(vertex.as_uri(), text, 1))
    other = text.replace("MESA_SHADER_VERTEX\nsource", "MESA_SHADER_COMPUTE\nsource")
    assert other != text
    assert not linker.pipelines_of(workspace.open(vertex.as_uri(), other, 2))


def test_a_project_file_is_read_again_when_it_changes(folder: Path) -> None:
    (folder / "tinted.frag.nir").rename(folder / "other.nir")
    workspace = Workspace()
    vertex = folder / "tinted.vert.nir"
    document = workspace.open(vertex.as_uri(), vertex.read_text(), 1)
    linker = Linker(workspace)
    assert not linker.pipelines_of(document)
    project = '[[pipeline]]\nname = "p"\nvert = "tinted.vert.nir"\nfrag = "other.nir"\n'
    (folder / "nirls.toml").write_text(project)
    (linked,) = linker.pipelines_of(document)
    assert linked.pipeline.name == "p"


def test_a_document_that_is_no_file_has_the_dumps_of_its_own(folder: Path) -> None:
    workspace = Workspace()
    both = "\n".join((folder / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag"))
    (linked,) = Linker(workspace).pipelines_of(workspace.open("untitled:Untitled-1", both, 1))
    assert len(linked.members) == 2
