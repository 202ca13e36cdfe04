from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_a_table_or_json(run: Run, tinted: Path) -> None:
    assert "VS to FS" in run("pack", "tinted.vert.nir").text
    (pipeline,) = run("pack", "--format", "json", "tinted.vert.nir").json
    assert [Path(one["file"]).name for one in pipeline["stages"]] == ["tinted.vert.nir", "tinted.frag.nir"]


def test_status_one_says_that_nothing_is_linked(run: Run, tinted: Path) -> None:
    (tinted / "tinted.frag.nir").unlink()
    result = run("pack", ".")
    assert (result.status, result.out) == (1, b"")
    assert "no stages are linked" in result.err
