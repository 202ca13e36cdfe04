from __future__ import annotations

from pathlib import Path

import pytest
import typer

from nirls.server.cli.errors import USAGE, CommandError
from nirls.server.cli.opening import files_with_dumps, opened, project_for


def test_files_without_dumps_are_named_and_left_out(tinted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("nothing\n")
    assert [file.name for file in files_with_dumps(["notes.txt", "tinted.frag.nir"])] == ["tinted.frag.nir"]
    assert capsys.readouterr().err.startswith("nirls: notes.txt: no shader dump in it")


def test_no_dump_at_all_ends_the_command(workdir: Path) -> None:
    Path("notes.txt").write_text("nothing\n")
    with pytest.raises(typer.Exit) as ended:
        files_with_dumps(["notes.txt"])
    assert ended.value.exit_code == USAGE


def test_partners_are_context(tinted: Path) -> None:
    alone = opened(["tinted.frag.nir"], None)
    linked = opened(["tinted.frag.nir"], None, partners=True)
    assert [document.uri for document in alone.documents.values()] == ["tinted.frag.nir"]
    assert [document.is_open for document in linked.documents.values()] == [True, False]


def test_the_nearest_project_file_applies_unless_one_is_named(
    tinted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nirls.toml").write_text("")
    Path("other.toml").write_text("nonsense = 1\n")
    inputs = files_with_dumps(["tinted.frag.nir"])
    nearest, named = project_for(inputs, None), project_for(inputs, Path("other.toml"))
    assert nearest is not None
    assert nearest.path.name == "nirls.toml"
    assert named is not None
    assert "nirls: other.toml: " in capsys.readouterr().err


def test_a_project_file_that_is_missing_is_wrong_use(tinted: Path) -> None:
    with pytest.raises(CommandError, match="no such file"):
        project_for([], Path("missing.toml"))
