"""How the server starts and ends: over stdio and TCP, with and without manners."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tools.lsp_client import LspClient

STDIO = [sys.executable, "-m", "nirls.server", "serve"]


@pytest.fixture
def client(tmp_path: Path) -> LspClient:
    return LspClient(STDIO, tmp_path)


def test_a_client_with_manners_sees_status_0(client: LspClient) -> None:
    capabilities = client.start()
    assert capabilities["codeActionProvider"]["resolveProvider"] is True
    assert client.stop() == 0


def test_an_exit_without_shutdown_is_status_1(client: LspClient) -> None:
    client.start()
    client.notify("exit", None)
    assert client.process.wait(timeout=20) == 1


def test_the_server_ends_when_the_client_is_gone(client: LspClient) -> None:
    client.start()
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(timeout=20) == 1


def test_messages_that_are_no_requests_do_no_harm(client: LspClient) -> None:
    client.start()
    client.notify("textDocument/didOpen", {"nonsense": True})
    client.notify("no/such/notification", {})
    with pytest.raises(RuntimeError):
        client.request("no/such/request", {})
    with pytest.raises(RuntimeError):
        client.request("textDocument/hover", {"textDocument": 3})
    assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": "file:///x"}}) == []
    assert client.shown == []
    assert client.stop() == 0


def test_a_session_over_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen([*STDIO, "--tcp", f"127.0.0.1:{port}"])
    connection = _connected(port)
    stream = connection.makefile("rwb")
    try:
        _send(stream, {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}})
        assert "capabilities" in _received(stream)["result"]
        _send(stream, {"id": 2, "method": "shutdown"})
        assert _received(stream)["id"] == 2
        _send(stream, {"method": "exit"})
        assert process.wait(timeout=20) == 0
    finally:
        stream.close()
        connection.close()
        process.kill()


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _send(stream: Any, message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()


def _received(stream: Any) -> dict[str, Any]:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    message: dict[str, Any] = json.loads(stream.read(length))
    return message
