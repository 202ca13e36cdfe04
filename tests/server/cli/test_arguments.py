"""The arguments that commands share mean the same in each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nirls.server.cli.arguments import complete_code, complete_driver, complete_passes
from tests.server.conftest import Run

NIRLS = Path(sys.executable).with_name("nirls")


def test_the_last_pass_of_a_list_is_completed() -> None:
    assert ("opt_dce,opt_cse", "Eliminate common subexpressions") in list(complete_passes("opt_dce,opt_c"))
    assert list(complete_passes("opt_dce,no_such")) == []


def test_drivers_are_completed() -> None:
    assert complete_driver("rad") == ["radeonsi", "radv"]
    assert "detect" in complete_driver("")


def test_codes_are_completed() -> None:
    assert [code for code, _ in complete_code("dead-")] == ["dead-output", "dead-value"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "offered"),
    [("nirls opt -p opt_dc", "opt_dce"), ("nirls explain dead-o", "dead-output"), ("nirls ch", "check")],
)
def test_bash_is_told(words: str, offered: str) -> None:
    asked = {
        "_NIRLS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    told = subprocess.run(
        [NIRLS], env=os.environ | asked, capture_output=True, text=True, timeout=120, check=True
    )
    assert offered in told.stdout.split()


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
