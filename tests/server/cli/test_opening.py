from __future__ import annotations

from pathlib import Path

import pytest
import typer

from nirls.server.cli.errors import USAGE, CommandError
from nirls.server.cli.opening import (
    file_with_dumps,
    files_with_dumps,
    named_dumps,
    opened,
    project_for,
)
from nirls.server.engine.files.input_files import InputError
from tests.passes.shader_text import ONE, ZERO, shader_text


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
    nearest = project_for(inputs, None)
    assert nearest is not None
    assert nearest.path.name == "nirls.toml"
    with pytest.raises(typer.Exit):
        project_for(inputs, Path("other.toml"))
    assert "nirls: other.toml: " in capsys.readouterr().err


def test_a_project_file_that_is_missing_is_wrong_use(tinted: Path) -> None:
    with pytest.raises(CommandError, match="no such file"):
        project_for([], Path("missing.toml"))


def test_files_without_dumps_are_named_and_left_out(tinted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("nothing\n")
    assert [file.name for file in files_with_dumps(["notes.txt", "tinted.frag.nir"])] == ["tinted.frag.nir"]
    assert capsys.readouterr().err.startswith("nirls: notes.txt: no shader dump in it")


def test_no_dump_at_all_ends_the_command(workdir: Path) -> None:
    Path("notes.txt").write_text("nothing\n")
    with pytest.raises(typer.Exit) as ended:
        files_with_dumps(["notes.txt"])
    assert ended.value.exit_code == USAGE


def test_commands_on_one_file_refuse_a_folder_with_several(tinted: Path) -> None:
    assert file_with_dumps("tinted.frag.nir").name == "tinted.frag.nir"
    with pytest.raises(
        CommandError, match=r"2 files with dumps; name one of them, such as .*tinted\.frag\.nir"
    ):
        file_with_dumps(str(tinted))


LOG = shader_text("VERTEX", ZERO) + "nir_opt_cse\n" + shader_text("VERTEX", ONE)


def test_all_dumps_of_a_file(workdir: Path) -> None:
    Path("a.log").write_text(LOG)
    assert [one.name for one in named_dumps("a.log")] == ["a.log#1", "a.log#2"]


def test_one_of_them(workdir: Path) -> None:
    Path("a.log").write_text(LOG)
    (found,) = named_dumps("a.log#2")
    assert b"0x3f800000" in found.dump.piece.text


def test_a_file_that_has_such_a_name(workdir: Path) -> None:
    Path("a#2").write_text(LOG)
    assert len(named_dumps("a#2")) == 2
    assert len(named_dumps("a#2#1")) == 1


@pytest.mark.parametrize(
    "name", ["a.log#0", "a.log#3", f"a.log#{'9' * 5000}", "b.log", "b.log#1", "empty.log"]
)
def test_what_is_not_there(workdir: Path, name: str) -> None:
    Path("a.log").write_text(LOG)
    Path("empty.log").write_text("")
    with pytest.raises((CommandError, InputError)):
        named_dumps(name)
