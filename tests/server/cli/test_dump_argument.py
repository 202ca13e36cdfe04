from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.dump_argument import named_dumps
from nirls.server.cli.errors import CommandError
from nirls.server.engine.input_files import InputError
from tests.passes.shader_text import ONE, ZERO, shader_text

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


@pytest.mark.parametrize("name", ["a.log#0", "a.log#3", "b.log", "b.log#1", "empty.log"])
def test_what_is_not_there(workdir: Path, name: str) -> None:
    Path("a.log").write_text(LOG)
    Path("empty.log").write_text("")
    with pytest.raises((CommandError, InputError)):
        named_dumps(name)
