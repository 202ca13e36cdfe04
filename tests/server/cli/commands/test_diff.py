from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_status_one_says_that_they_differ(run: Run, pulsar: Path) -> None:
    assert run("diff", "pulsar.vert.nir", "pulsar.vert.nir").status == 0
    result = run("diff", "pulsar.vert.nir", "pulsar.frag.nir")
    assert result.status == 1
    assert result.text.startswith("--- pulsar.vert.nir#1\n+++ pulsar.frag.nir#1\n")
    assert not run("diff", "-y", "pulsar.vert.nir", "pulsar.frag.nir").text.startswith("---")


def test_two_dumps_are_wanted(run: Run, pulsar: Path) -> None:
    assert run("diff", "pulsar.vert.nir").status == 2
