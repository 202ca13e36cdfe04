from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_standard_input_has_no_place(run: Run) -> None:
    result = run("tcs", "-", "--in-place", stdin=b"shader: MESA_SHADER_TESS_CTRL\n")
    assert result.status == 2
    assert "standard input has no place to write to" in result.err


def test_without_a_control_shader_there_is_nothing_to_do(run: Run, tinted: Path) -> None:
    before = (tinted / "tinted.vert.nir").read_bytes()
    assert run("tcs", ".", "--format", "json", "--in-place").json == []
    assert (tinted / "tinted.vert.nir").read_bytes() == before
