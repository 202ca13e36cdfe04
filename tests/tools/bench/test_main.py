"""The whole of it, in a quick run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.__main__ import KEPT
from tools.bench.nirls_session import TARGETS

PROJECT = Path(__file__).resolve().parents[3]


def test_the_figures_that_are_kept_have_those_with_a_target() -> None:
    kept = json.loads(KEPT.read_text())
    assert kept["unit"] > 0
    assert set(TARGETS) <= set(kept["logs"])


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
