"""What all commands have in common."""

from __future__ import annotations

import pkgutil

import pytest

from nirls.server.command_line import commands
from nirls.server.command_line.app import app

from .conftest import Run

NAMES = [command.name for command in app.registered_commands]


def test_every_module_of_commands_is_a_command() -> None:
    assert sorted(module.name.rstrip("_") for module in pkgutil.iter_modules(commands.__path__)) == sorted(
        name for name in NAMES if name is not None
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.status == 0
    assert f"Usage: nirls {name} " in result.text


@pytest.mark.parametrize("name", ["check", "opt", "tcs", "reduce", "pack", "print", "preview", "timeline"])
def test_wrong_use_is_a_message(run: Run, workdir: object, name: str) -> None:
    passes = ["-p", "opt_dce"] if name in ("opt", "reduce") else []
    result = run(name, "missing.nir", *passes)
    assert (result.status, result.out) == (2, b"")
    assert result.err == "nirls: missing.nir: no such file or folder\n"
