"""Sessions with a server that cannot start are failures, and end no run."""

from __future__ import annotations

import sys

import pytest

from tools.fuzz import sessions


def test_a_server_that_does_not_start_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SERVE", [sys.executable, "-c", "import sys; sys.exit(7)"])
    tally = sessions.fuzz_sessions(1, 2, None)
    assert tally.tried == 2
    (failure,) = tally.failures
    assert failure.wrong.step == "start"
    assert failure.wrong.detail.startswith("the server did not start")
