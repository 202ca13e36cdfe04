from __future__ import annotations

import json

import pytest

from nirls.server.cli.reports.write import WITH_EDITS, write_report
from nirls.server.engine.input_files import InputFile
from nirls.server.engine.linked_files import LinkedFiles
from tests.server.engine.test_located_findings import located

WORKSPACE = LinkedFiles([InputFile("a.nir", None, b"shader: MESA_SHADER_VERTEX\n")])


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_what_programs_read_is_alone_on_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    write_report([located("a.nir")], name, WORKSPACE)
    out, err = capfdbinary.readouterr()
    assert json.loads(out)
    assert err == b""
    assert name in WITH_EDITS


def test_text_counts_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    write_report([located("a.nir")], "text", WORKSPACE)
    out, err = capfd.readouterr()
    assert out.startswith("a.nir:1:1: warning [odd] m\n")
    assert err == "1 warning in 1 file, 1 dump.\n"


def test_names_that_are_no_text_are_written_all_the_same(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in ("text", "json", "sarif", "github"):
        write_report([located("a\udcff.nir")], name, WORKSPACE)
    assert capfdbinary.readouterr().out.count(b"odd") >= 4
