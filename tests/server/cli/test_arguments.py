"""The arguments that commands share mean the same in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.conftest import Run


@pytest.mark.parametrize("command", [("check",), ("pack",), ("preview",), ("tcs",), ("opt", "-p", "opt_dce")])
def test_the_project_file_can_be_named(run: Run, tinted: Path, command: tuple[str, ...]) -> None:
    (tinted / "named.toml").write_text("[odd]\n")
    assert "named.toml: odd: unknown" in run(*command, "--config", "named.toml", ".").err
    result = run(*command, "--config", "missing.toml", ".")
    assert (result.status, result.err) == (2, "nirls: missing.toml: no such file\n")


@pytest.mark.parametrize("command", [("preview",), ("pack",), ("timeline",), ("tcs",)])
def test_tables_come_as_text_or_json(run: Run, tinted: Path, command: tuple[str, ...]) -> None:
    assert run(*command, "tinted.vert.nir", "--format", "json").json is not None
    assert run(*command, "tinted.vert.nir", "--format", "yaml").status == 2


@pytest.mark.parametrize("command", ["opt", "reduce"])
def test_passes_have_to_be_named(run: Run, tinted: Path, command: str) -> None:
    assert run(command, "tinted.vert.nir").status == 2
    assert "there is no pass 'odd'" in run(command, "-p", "odd", "tinted.vert.nir").err
