"""The files of one run: named ones, their partners, and the pipelines of both."""

from __future__ import annotations

from pathlib import Path

from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.settings.project_file import parse_project_file
from tests.passes.shader_text import ZERO, shader_text

VERTEX, FRAGMENT = shader_text("VERTEX", ZERO).encode(), shader_text("FRAGMENT", ZERO).encode()


def file(path: Path, data: bytes) -> InputFile:
    path.write_bytes(data)
    return InputFile(str(path), path, data)


def test_partners_are_context(tmp_path: Path) -> None:
    named = file(tmp_path / "a.vert.nir", VERTEX)
    file(tmp_path / "a.frag.nir", FRAGMENT)
    file(tmp_path / "b.frag.nir", FRAGMENT)
    workspace = LinkedFiles([named], partners=True)
    assert [workspace.file(document) for document in workspace.named()] == [named]
    assert [Path(name).name for name in workspace.documents] == ["a.vert.nir", "a.frag.nir"]
    (pipeline,) = workspace.pipelines
    assert workspace.linked == set(pipeline.dumps)
    assert workspace.unlinked() == []
    assert LinkedFiles([named]).pipelines == []
    assert LinkedFiles([named]).unlinked() == LinkedFiles([named]).dumps()


def test_partners_of_the_project_file(tmp_path: Path) -> None:
    named = file(tmp_path / "one.nir", VERTEX)
    file(tmp_path / "two.nir", FRAGMENT)
    file(tmp_path / "three.nir", FRAGMENT)
    project = parse_project_file(
        "[[pipeline]]\nname='p'\nvert='one.nir'\nfrag='two.nir'\n"
        "[[pipeline]]\nname='q'\nvert='other.nir'\nfrag='three.nir'\n",
        tmp_path / "nirls.toml",
    )
    workspace = LinkedFiles([named], project, partners=True)
    assert [Path(name).name for name in workspace.documents] == ["one.nir", "two.nir"]
    assert [pipeline.name for pipeline in workspace.pipelines] == ["p"]


def test_a_dump_is_parsed_once(tmp_path: Path) -> None:
    (document,) = LinkedFiles([file(tmp_path / "a.nir", VERTEX + b"\ntext\n" + FRAGMENT)]).named()
    assert len(document.snapshot.dumps()) == 2
    assert document.shader(1) is document.shader(1)
    assert document.shader(1).source == FRAGMENT
