from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_a_table_json_or_a_diff(run: Run, tinted: Path) -> None:
    text = (tinted / "tinted.vert.nir").read_text()
    (tinted / "a.log").write_text(f"nir_a_b\n{text}nir_c_d\n{text.replace(' ffma ', ' flrp ', 1)}")
    assert "nir_c_d" in run("timeline", "a.log").text
    assert [one["stage"] for one in run("timeline", "a.log", "--format", "json").json["shaders"]] == ["VS"]
    assert run("timeline", "a.log", "--diff", 2).text.startswith("--- before nir_c_d\n+++ after nir_c_d\n")
    assert run("timeline", "a.log", "--diff", "x").status == 2
