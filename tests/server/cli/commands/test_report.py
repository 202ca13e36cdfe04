from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, uniform_varying, use
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


FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))


@pytest.fixture
def log(tinted: Path) -> Path:
    """A log of two linked shaders, of which one changes."""
    vert, frag = ((tinted / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag"))
    raw = vert.replace("succs: b1", "succs: b1\n", 1)
    path = tinted / "debug.log"
    path.write_text(f"nir_lower_returns\n{raw}nir_opt_cse\nnir_x_y\n{vert}nir_lower_returns\n{frag}")
    return path


def test_a_page_with_everything(run: Run, log: Path) -> None:
    assert run("report", log, "-o", "out.html").status == 0
    text = Path("out.html").read_text()
    assert "nir_opt_cse" in text
    assert "dead-output" in text
    assert "VS to FS" in text
    assert "never read" in text


def test_findings_are_placed_in_the_log(run: Run, log: Path) -> None:
    run("report", log, "-o", "out.html")
    text = Path("out.html").read_text()
    row = text[text.index("<code>dead-output") :]
    line = int(row[row.index('number">') + 8 :].partition("<")[0])
    excerpt = row[row.index('class="dim">') + 12 :].partition("<")[0]
    assert excerpt.split()[0] in log.read_text().split("\n")[line - 1]
    assert "store_output" in log.read_text().split("\n")[line - 1]


def test_diffs(run: Run, workdir: Path) -> None:
    (workdir / "a.log").write_text(f"nir_a_b\n{FIRST}nir_copy_prop\n{COPIED}")
    assert run("report", "a.log", "-o", "with.html").status == 0
    assert 'class="left replace"' in Path("with.html").read_text()
    assert run("report", "a.log", "-o", "without.html", "--no-diffs").status == 0
    assert 'class="left replace"' not in Path("without.html").read_text()


def test_one_shader(run: Run, log: Path) -> None:
    run("report", log, "-o", "out.html", "--shader", "FS")
    assert 'id="shader-2"' not in Path("out.html").read_text()


def test_wrong_use(run: Run, workdir: Path) -> None:
    (workdir / "empty.log").write_text("")
    assert run("report", "empty.log", "-o", "out.html").status == 2
    assert run("report", "empty.log").status == 2


def test_the_driver_that_the_log_names(run: Run, workdir: Path) -> None:
    for name, first_line in (("any", ""), ("iris", "GL Mesa Intel(R) Iris(R) Xe Graphics\n")):
        (workdir / f"{name}.log").write_text(first_line + uniform_varying())
        assert run("report", f"{name}.log", "-o", f"{name}.html").status == 0
    assert "propagatable-output" in Path("any.html").read_text()
    assert "propagatable-output" not in Path("iris.html").read_text()
