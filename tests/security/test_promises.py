"""SECURITY.md: each promise names the tests that hold it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line.strip("| ").split(" | ")
    for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_promise_names_tests_that_there_are(row: list[str]) -> None:
    promise, tests = row
    named = re.findall("`(tests/[^`]*)`", tests)
    assert promise
    assert named
    for name in named:
        path = ROOT / name
        files = sorted(path.glob("test_*.py")) if path.is_dir() else [path]
        assert files
        assert all("\ndef test_" in file.read_text(encoding="utf-8") for file in files)


def test_there_are_promises() -> None:
    assert len(ROWS) > 8
