"""Sessions of an editor with the real server, for a bounded time; `make fuzz` holds more and longer ones."""

from __future__ import annotations

import sys

import pytest

from tools.fuzz import client, sessions
from tools.fuzz.edited_text import EditedText
from tools.fuzz.sessions import fuzz_sessions, replay


def test_a_server_that_does_not_start_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SERVE", [sys.executable, "-c", "import sys; sys.exit(7)"])
    tally = sessions.fuzz_sessions(range(1, 3), None)
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


@pytest.mark.parametrize("first", [0, 3])
def test_after_any_edits_the_server_says_what_a_new_one_says(first: int) -> None:
    """Two sessions, of a client that pulls and one that is told, in different encodings.

    How long a turn takes is judged by `make fuzz`: here other tests run on the same cores.
    """
    tally = fuzz_sessions([first], None, moves=8)
    wrong = [failure for failure in tally.failures if failure.wrong.step != "event loop"]
    assert [f"seed {failure.seed}: {failure.wrong}" for failure in wrong] == []
    assert tally.tried == 1


def test_a_wrong_view_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that believes in other text than the server has."""

    def forgets(self: EditedText, changes: list[dict[str, object]]) -> None:
        self.text += "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n"

    monkeypatch.setattr(EditedText, "change", forgets)
    monkeypatch.setattr("tools.fuzz.sessions._SETTLED_WITHIN", 1.0)
    assert any("differ" in wrong.detail for wrong in replay(2, 8))
