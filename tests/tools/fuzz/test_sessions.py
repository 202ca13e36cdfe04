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


def test_what_a_server_logs_is_a_failure() -> None:
    delay = b"WARNING: the server was busy for 0.4 s and answered nothing meanwhile:\n  File x\n"
    assert [wrong.step for wrong in sessions.logged(delay)] == ["event loop"]
    error = b"ERROR: textDocument/hover failed\nTraceback (most recent call last):\nValueError: no\n"
    found = list(sessions.logged(error + delay))
    assert [wrong.step for wrong in found] == ["handler", "event loop"]
    assert found[1].detail == "the server was busy for 0.4 s and answered nothing meanwhile"
    assert not list(sessions.logged(b"WARNING: something else\n"))
