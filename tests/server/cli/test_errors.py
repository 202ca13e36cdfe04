from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from nirls.server.cli import app as app_module
from nirls.server.cli.errors import FOUND, USAGE, CommandError


def test_statuses_are_those_that_scripts_know() -> None:
    assert (FOUND, USAGE) == (1, 2)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [(CommandError("no such thing"), USAGE, "nirls: no such thing\n"), (typer.Exit(FOUND), FOUND, "")],
)
def test_an_error_of_a_command_is_a_message_and_a_status(error: Exception, status: int, said: str) -> None:
    def fails() -> None:
        raise error

    made = typer.Typer()
    made.command()(app_module._reporting_errors(fails))
    result = CliRunner().invoke(made)
    assert (result.exit_code, result.stderr, result.stdout) == (status, said, "")
