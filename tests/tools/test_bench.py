from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.calibration import unit, work
from tools.bench.figures import Group, Row, change, plain, table
from tools.bench.mlir_session import find_server, mlir_of_lines
from tools.bench.nirls_session import TARGETS
from tools.bench.session import in_the_middle
from tools.bench.steps import step_times

PROJECT = Path(__file__).resolve().parents[2]
GROUP = Group("logs", "title", (1, 10), (Row("what, ms", (2.0, 5.0), "10"),))


def test_every_step_takes_time() -> None:
    times = step_times(60, 1)
    assert {"parse", "validate", "divergence", "edits of the result"} <= set(times)
    assert all(time > 0 for time in times.values())


def test_table_has_growth_target_and_change() -> None:
    last = plain([GROUP], unit=2.0)
    result = table(GROUP, 1.0, last)
    cells = [list(column.cells) for column in result.columns]
    assert cells == [["what, ms"], ["2.0"], ["5.0"], ["2.5x, n^0.40"], ["10"], ["+100%"]]


def test_change_is_counted_in_units_of_the_machine() -> None:
    last = json.loads(json.dumps(plain([GROUP], unit=2.0)))
    assert change(GROUP, GROUP.rows[0], 2.0, last) == 0
    assert change(GROUP, GROUP.rows[0], 4.0, last) == -0.5
    memory = Group("logs", "", (1, 10), (Row("memory, MB", (2.0, 5.0)),))
    assert change(memory, memory.rows[0], 4.0, plain([memory], unit=2.0)) == 0
    assert change(GROUP, Row("another, ms", (1.0, 1.0)), 1.0, last) is None
    assert change(GROUP, GROUP.rows[0], 1.0, {}) is None


def test_the_unit_is_a_time_of_real_work() -> None:
    assert unit(1) > 0
    assert work() == work() > 1000


@pytest.mark.parametrize("lines", [1_000, 10_000])
def test_files_for_the_other_server_have_as_many_lines(lines: int) -> None:
    text = mlir_of_lines(lines)
    assert abs(text.count("\n") - lines) < 10
    place = in_the_middle(text, "mulf")
    assert abs(place.line - lines // 2) < 10
    assert text.split("\n")[place.line][place.character :].startswith("mulf ")


def test_the_other_server_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server(None) is None
    for name in ("mlir-lsp-server-9", "mlir-lsp-server-16", "mlir-opt"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_server(None) == str(tmp_path / "mlir-lsp-server-16")
    assert find_server("mlir-lsp-server-9") == str(tmp_path / "mlir-lsp-server-9")
    assert find_server("other") is None


@pytest.mark.skipif(
    not Path(sys.executable).with_name("nirls").exists(), reason="needs the installed nirls command"
)
def test_quick_run_measures_a_session_of_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.bench", "--quick", "--json", str(tmp_path / "figures.json")],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={"COLUMNS": "160", "PATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "MLIR's language server is not on the PATH" in done.stdout
    logs = json.loads((tmp_path / "figures.json").read_text())["logs"]
    for figure in TARGETS:
        assert figure in done.stdout
        assert all(value > 0 for value in logs[figure]["figures"].values())
