from __future__ import annotations

import csv
import io
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


def test_one_log_is_counted(run: Run, logs: Path) -> None:
    done = run("stats", "b.log")
    assert done.status == 0
    lines = [line.split() for line in done.text.splitlines()]
    assert lines[0][:2] == ["shader", "instructions"]
    assert lines[1][:2] == ["VS", "3"]
    (plain,) = run("stats", "b.log", "--format", "json").json
    assert (plain["shader"], plain["counts"]["output stores"]) == ("VS", 1)


def test_csv(run: Run, logs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("stats", "a.log", "-f", "csv").text)))
    assert (rows[0]["stage"], rows[0]["number"], rows[0]["output stores"]) == ("VS", "1", "2")
    rows = list(csv.DictReader(io.StringIO(run("stats", "a.log", "b.log", "-f", "csv").text)))
    stores = [row for row in rows if row["metric"] == "output stores"]
    assert [(row["shader"], row["before"], row["after"]) for row in stores] == [
        ("total", "2", "1"),
        ("", "2", "1"),
    ]


def test_metrics_can_be_chosen(run: Run, logs: Path) -> None:
    assert run("stats", "a.log", "--metric", "output stores").text.split("\n")[0].split() == [
        *("shader", "output", "stores"),
    ]
    found = run("stats", "a.log", "b.log", "--metric", "constants", "-f", "json").json
    assert [metric["name"] for metric in found["metrics"]] == ["constants"]
    wrong = run("stats", "a.log", "--metric", "no")
    assert wrong.status == 2
    assert "there is no metric 'no'; there are instructions, " in wrong.err


@pytest.mark.parametrize(
    ("sides", "limit", "status"),
    [(("b.log", "a.log"), "0", 1), (("b.log", "a.log"), "100", 0), (("a.log", "b.log"), "0", 0)],
)
def test_status_of_what_is_hurt(
    run: Run, logs: Path, sides: tuple[str, str], limit: str, status: int
) -> None:
    done = run("stats", *sides, "--fail-on-hurt", limit)
    assert done.status == status
    assert ("output stores is hurt by more than 0%: 1 -> 2 (+100.00%)" in done.err) == (status == 1)


def test_more_threads_are_better(run: Run, workdir: Path) -> None:
    for name, threads in (("a.txt", 2), ("b.txt", 4)):
        (workdir / name).write_text(f"x - FS shader: 10 inst, {threads} threads\n")
    assert run("stats", "a.txt", "b.txt", "--fail-on-hurt", "0").status == 0
    done = run("stats", "b.txt", "a.txt", "--fail-on-hurt", "0")
    assert done.status == 1
    assert "backend threads is hurt by more than 0%: 4 -> 2 (-50.00%)" in done.err
    assert "HURT: 1 (min -2, max -2, mean -2.00, median -2)" in done.text


@pytest.mark.parametrize("arguments", [("--fail-on-hurt", "1"), ("--format", "html")])
def test_one_log_is_not_compared(run: Run, logs: Path, arguments: tuple[str, ...]) -> None:
    assert run("stats", "a.log", *arguments).status == 2
