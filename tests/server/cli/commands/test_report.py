from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_one_file_is_written_and_nothing_is_printed(run: Run, tinted: Path) -> None:
    result = run("report", "tinted.vert.nir", "-o", "out.html")
    assert (result.status, result.out, result.err) == (0, b"", "")
    assert (tinted / "out.html").read_text().startswith("<!doctype html>")


def test_a_place_that_cannot_be_written(run: Run, tinted: Path) -> None:
    result = run("report", "tinted.vert.nir", "-o", "nowhere/out.html")
    assert result.status == 2
    assert "nowhere/out.html: cannot be written" in result.err
    assert run("report", "tinted.vert.nir").status == 2, "there is no standard place"
