"""`main`: what the command does before its arguments are read."""

from __future__ import annotations

import sys

import pytest

from nirls.server.cli import app as app_module
from nirls.server.cli import main


def test_ctrl_c_ends_the_command_with_the_status_of_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["nirls", "passes"])
    monkeypatch.setattr(app_module, "app", interrupted)
    with pytest.raises(SystemExit, match="130"):
        main()
