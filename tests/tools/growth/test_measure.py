"""Measurement of the time of commands."""

from __future__ import annotations

import pytest

from nirls.server.engine.checks.check_settings import CheckSettings
from tools.growth.measure import command_times
from tools.growth.shapes import many_dumps


def test_a_command_takes_time() -> None:
    assert command_times(many_dumps(40), ("check",))["check"] > 0


def test_an_internal_error_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> CheckSettings:
        raise ValueError("broken")

    monkeypatch.setattr(CheckSettings, "for_document", fail)
    with pytest.raises(RuntimeError, match="nirls check"):
        command_times(many_dumps(40), ("check",))
