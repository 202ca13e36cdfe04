from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, store
from tests.server.conftest import Run

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
SMALLER = shader_text("VERTEX", ZERO, ONE, store("VAR0"))


@pytest.fixture
def logs(workdir: Path) -> Path:
    (workdir / "a.log").write_text(f"nir_opt_x\n{VERTEX}")
    (workdir / "b.log").write_text(f"{VERTEX}nir_opt_y\n{SMALLER}")
    return workdir


def test_text_says_what_changed(run: Run, logs: Path) -> None:
    done = run("stats", "a.log", "b.log")
    assert done.status == 0
    assert "a.log -> b.log: 1 shaders in both\n" in done.text
    assert "total output stores: 2 -> 1 (-50.00%)\n" in done.text
    assert "helped: 1 (min -1, max -1, mean -1.00, median -1)\n    VS: 2 -> 1 (-50.00%)\n" in done.text
    assert "HURT" not in done.text


def test_the_first_snapshots_can_be_compared(run: Run, logs: Path) -> None:
    assert "total" not in run("stats", "--snapshot", "first", "a.log", "b.log").text


def test_folders_are_matched_by_file(run: Run, logs: Path) -> None:
    for folder, text in (("old", VERTEX), ("new", SMALLER)):
        (logs / folder / "deep").mkdir(parents=True)
        (logs / folder / "deep" / "x.vert.nir").write_text(text)
    (logs / "new" / "y.nir").write_text(VERTEX)
    found = run("stats", "old", "new", "--format", "json").json
    assert (found["shaders"], found["only_after"]) == (1, ["y.nir VS"])
    (stores,) = [metric for metric in found["metrics"] if metric["name"] == "output stores"]
    assert stores["helped"][0]["shader"] == "deep/x.vert.nir VS"


def test_html_is_one_page_without_scripts(run: Run, logs: Path) -> None:
    (logs / "b.log").write_text("name: <script>\n" + SMALLER)
    done = run("stats", "a.log", "b.log", "-f", "html", "-o", "out.html")
    page = (logs / "out.html").read_text()
    assert (done.status, done.text) == (0, "")
    assert "output stores" in page
    assert "-50.00%" in page
    assert "<script" not in page


def test_files_without_dumps_are_refused(run: Run, workdir: Path) -> None:
    (workdir / "a.log").write_text("nothing")
    done = run("stats", "a.log", "a.log")
    assert done.status == 2
    assert "no shader dump in it" in done.err
    assert run("stats", "missing.log", "a.log").status == 2
