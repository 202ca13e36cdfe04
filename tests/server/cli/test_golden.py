"""What commands print about a small log, as it was last looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tests.server.conftest import Run

FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"), header=["name: GLSL1"])
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"), header=["name: GLSL1"])
SHRUNK = shader_text("VERTEX", ZERO, ONE, use("%1"), header=["name: GLSL1"])
FRAGMENT = shader_text("FRAGMENT", ZERO, header=["name: GLSL1"])
LOG = (
    f"nir_lower_returns\n{FIRST}nir_opt_cse\nskipping nir_opt_gcm\nnir_copy_prop\n{COPIED}"
    f"nir_opt_dce\n{SHRUNK}nir_lower_returns\n{FRAGMENT}nir_opt_undef\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("timeline", "a.log"),
        ("timeline", "a.log", "--all"),
        ("timeline", "a.log", "--shader", "VS", "--diff", "5"),
        ("diff", "a.log#1", "a.log#3"),
        ("diff", "a.log#1", "a.log#3", "-y"),
        ("preview", "a.log", "-p", "opt_dce"),
    ],
    ids=" ".join,
)
def test_output(
    run: Run,
    workdir: Path,
    snapshot: SnapshotAssertion,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    (workdir / "a.log").write_text(LOG)
    assert run(*arguments).text == snapshot
