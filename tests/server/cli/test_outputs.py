from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.errors import CommandError
from nirls.server.cli.outputs import diff, write_in_place, write_to_folder
from nirls.server.engine.files.input_files import InputFile


def test_diff_of_files_that_end_without_a_newline() -> None:
    file = InputFile("a", None, b"one\ntwo")
    assert diff([(file, b"one\n2")]) == [
        "--- a/a\n",
        "+++ b/a\n",
        "@@ -1,2 +1,2 @@\n",
        " one\n",
        "-two\n\\ No newline at end of file\n",
        "+2\n\\ No newline at end of file\n",
    ]


def test_only_a_line_feed_ends_a_line_of_a_diff() -> None:
    file = InputFile("a", None, "x\u2028y\x0cz\r\nb\xff\n".encode("latin-1", "replace"))
    lines = diff([(file, file.data + b"new\n")])
    assert lines[-1] == "+new\n"
    assert len(lines) == 3 + 2 + 1


def test_equal_files_have_no_diff() -> None:
    assert diff([(InputFile("a", None, b"x"), b"x")]) == []


def test_standard_input_cannot_be_written_in_place() -> None:
    with pytest.raises(CommandError, match="no place to write to"):
        write_in_place([(InputFile("<stdin>", None, b""), b"")])


def test_standard_input_has_a_name_in_a_folder(tmp_path: Path) -> None:
    write_to_folder([(InputFile("<stdin>", None, b""), b"text")], tmp_path / "out")
    assert (tmp_path / "out" / "stdin.nir").read_bytes() == b"text"


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="cannot be made"):
        write_to_folder([], tmp_path / "file" / "out")


def test_file_that_cannot_be_written(tmp_path: Path) -> None:
    file = InputFile("a", tmp_path / "missing" / "a", b"")
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        write_in_place([(file, b"x")])
