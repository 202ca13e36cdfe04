from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_status_one_says_that_they_differ(run: Run, tinted: Path) -> None:
    assert run("diff", "tinted.vert.nir", "tinted.vert.nir").status == 0
    result = run("diff", "tinted.vert.nir", "tinted.frag.nir")
    assert result.status == 1
    assert result.text.startswith("--- tinted.vert.nir#1\n+++ tinted.frag.nir#1\n")
    assert not run("diff", "-y", "tinted.vert.nir", "tinted.frag.nir").text.startswith("---")


def test_two_dumps_are_wanted(run: Run, tinted: Path) -> None:
    assert run("diff", "tinted.vert.nir").status == 2
