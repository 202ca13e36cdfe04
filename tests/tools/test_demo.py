"""`make demo` from start to end: the installed command, a real server, a real fix."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.sweep
@pytest.mark.skipif(
    not Path(sys.executable).with_name("nirls").exists(), reason="needs the installed nirls command"
)
def test_demo_ends_well_and_shows_the_fix() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.demo"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        env={"COLUMNS": "200", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "-outputs_written: 0,32-33\n+inputs_read" in done.stdout
    assert "+outputs_written: 0,32\n" in done.stdout
    assert "divergent" in done.stdout
    assert "2 diagnostics left" in done.stdout
    assert "Traceback" not in done.stderr
