from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from nirls.server.cli import app as app_module
from nirls.server.cli.errors import FOUND, INTERNAL, USAGE, CommandError, PassError, complain


def test_statuses_are_those_that_scripts_know() -> None:
    assert (FOUND, USAGE, INTERNAL) == (1, 2, 3)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (CommandError("no such thing"), USAGE, "nirls: no such thing\n"),
        (PassError("it failed"), INTERNAL, "nirls: it failed\n"),
        (typer.Exit(FOUND), FOUND, ""),
    ],
)
def test_an_error_of_a_command_is_a_message_and_a_status(error: Exception, status: int, said: str) -> None:
    def fails() -> None:
        raise error

    made = typer.Typer()
    made.command()(app_module._reporting_errors(fails))
    result = CliRunner().invoke(made)
    assert (result.exit_code, result.stderr, result.stdout) == (status, said, "")


def test_an_unexpected_exception_has_a_status_of_its_own_and_a_trace() -> None:
    def fails() -> None:
        raise ZeroDivisionError("of nirls")

    made = typer.Typer()
    made.command()(app_module._reporting_errors(fails))
    result = CliRunner().invoke(made)
    assert result.exit_code == INTERNAL
    assert result.stderr.startswith("Traceback")
    assert result.stderr.endswith("nirls: internal error: ZeroDivisionError: of nirls\n")


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("one", "nirls: one\n"),
        ("one\n  two", "nirls: one\n  |   two\n"),
        ("a\n::error::b", "nirls: a\n  | ::error::b\n"),
        ("\x1b]0;x\x07\r##[error]", "nirls: \\x1b]0;x\\x07\\r##\\x5berror]\n"),
    ],
)
def test_messages_go_to_standard_error_and_steer_nothing(
    capsys: pytest.CaptureFixture[str], message: str, written: str
) -> None:
    complain(message)
    assert capsys.readouterr() == ("", written)
