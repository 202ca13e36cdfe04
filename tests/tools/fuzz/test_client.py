"""The client of a session, against a server that tells what it was sent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.tools.scripted_server import MESSAGES
from tools.fuzz import client
from tools.lsp_client import RefusedError

SERVER = (
    MESSAGES
    + """
import time
request = receive()
told = request["params"]["capabilities"]
chosen = CHOSEN or told["general"]["positionEncodings"][0]
send(id=request["id"], result={"capabilities": {"positionEncoding": chosen}})
while True:
    asked = receive()
    if asked["method"] == "told":
        send(id=asked["id"], result=told)
    elif asked["method"] == "refused":
        send(id=asked["id"], error={"code": -32603, "message": "not today"})
    elif asked["method"] == "exit":
        break
    elif asked["method"] == "shutdown":
        send(id=asked["id"], result=None)
"""
)


def serve(monkeypatch: pytest.MonkeyPatch, chosen: str = "") -> None:
    """Have sessions start the server above, which chooses an encoding, by default the offered one."""
    source = SERVER.replace("CHOSEN", repr(chosen))
    monkeypatch.setattr(client, "SERVE", [sys.executable, "-c", source])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("pulls", [True, False])
def test_a_server_knows_the_encoding_and_whether_diagnostics_are_pulled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, encoding: str, pulls: bool
) -> None:
    serve(monkeypatch)
    with client.start(tmp_path, encoding, pulls=pulls) as started:
        told = client.answer(started, "told", {})
    assert told["general"] == {"positionEncodings": [encoding]}
    assert ("diagnostic" in told["textDocument"]) is pulls
    assert ("diagnostics" in told["workspace"]) is pulls
    assert told["textDocument"]["codeAction"]["resolveSupport"] == {"properties": ["edit"]}


def test_another_encoding_than_the_offered_one_ends_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    serve(monkeypatch, "utf-16")
    with pytest.raises(RuntimeError, match="utf-8 was offered, and utf-16 chosen"):
        client.start(tmp_path, "utf-8", pulls=True)


def test_refused_and_unanswered_requests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    serve(monkeypatch)
    with client.start(tmp_path, "utf-8", pulls=False) as started:
        with pytest.raises(RefusedError, match="not today"):
            client.answer(started, "refused", {})
        monkeypatch.setattr(client, "LIMIT", 0.2)
        began = time.monotonic()
        with pytest.raises(RuntimeError):
            client.answer(started, "unheard", {})
        assert time.monotonic() - began < client.LIMIT + 10
