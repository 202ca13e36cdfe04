from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench import TARGETS, Row, step_times, table

PROJECT = Path(__file__).resolve().parents[2]


def test_every_step_takes_time() -> None:
    times = step_times(60, 1)
    assert {"parse", "validate", "divergence", "edits of the result"} <= set(times)
    assert all(time > 0 for time in times.values())


def test_table_has_growth_and_target() -> None:
    result = table("title", [Row("what", (2.0, 5.0), "10")], (1, 10))
    cells = [list(column.cells) for column in result.columns]
    assert cells == [["what"], ["2.0"], ["5.0"], ["2.5x, n^0.40"], ["10"]]


@pytest.mark.skipif(
    not Path(sys.executable).with_name("nirls").exists(), reason="needs the installed nirls command"
)
def test_quick_run_measures_a_session_of_the_server() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.bench", "--quick"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"COLUMNS": "160", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    for figure in TARGETS:
        assert figure in done.stdout
