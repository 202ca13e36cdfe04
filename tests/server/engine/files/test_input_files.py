from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from nirls.server.engine.files.input_files import InputError, InputFile, read_inputs

DUMP = b"shader: MESA_SHADER_FRAGMENT\ndecl_function main ()\n\nimpl main {\n    block b0:\n}\n"


def test_order_is_that_of_the_names_and_alphabetical_in_folders(tmp_path: Path) -> None:
    for name in ("z.nir", "f/b.log", "f/a.txt", "f/sub/c.nir", "f/ignored.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(DUMP)
    found = read_inputs([str(tmp_path / "z.nir"), str(tmp_path / "f"), str(tmp_path / "z.nir")])
    names = [Path(file.name).relative_to(tmp_path).as_posix() for file in found]
    assert names == ["z.nir", "f/a.txt", "f/b.log", "f/sub/c.nir"]


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DUMP)))
    (file,) = read_inputs(["-", "-"])
    assert (file.name, file.path, file.data) == ("<stdin>", None, DUMP)
    assert file.has_dumps


@pytest.mark.parametrize("name", ["missing", "nul\0byte", "x" * 5000])
def test_names_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        read_inputs([str(tmp_path / name)])


@pytest.mark.parametrize(
    ("data", "why"), [(b"", "empty"), (b"a\0b", "binary data"), (b"a", "no shader dump")]
)
def test_why_there_are_no_dumps(data: bytes, why: str) -> None:
    file = InputFile("x", None, data)
    assert not file.has_dumps
    assert why in file.why_no_dumps
