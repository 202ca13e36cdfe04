"""`main`: what the command does before its arguments are read."""

from __future__ import annotations

import sys

import pytest

import nirls.server.lsp.quick_start
from nirls.server.cli import app as app_module
from nirls.server.cli import main


@pytest.mark.parametrize("arguments", [["serve"], ["serve", "--stdio"]])
def test_a_server_starts_without_the_parser_of_arguments(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    def serve() -> None:
        raise SystemExit(17)

    monkeypatch.setattr(sys, "argv", ["nirls", *arguments])
    monkeypatch.setattr(nirls.server.lsp.quick_start, "serve", serve)
    with pytest.raises(SystemExit, match="17"):
        main()


def test_ctrl_c_ends_the_command_with_the_status_of_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["nirls", "passes"])
    monkeypatch.setattr(app_module, "app", interrupted)
    with pytest.raises(SystemExit, match="130"):
        main()
