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
    assert client.process.wait(timeout=90) == 1


def test_the_server_ends_when_the_client_is_gone(client: LspClient) -> None:
    client.start()
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(timeout=90) == 1


def test_messages_that_are_no_requests_do_no_harm(client: LspClient) -> None:
    client.start()
    client.notify("textDocument/didOpen", {"nonsense": True})
    client.notify("no/such/notification", {})
    with pytest.raises(RuntimeError, match="-32601"):
        client.request("no/such/request", {})
    with pytest.raises(RuntimeError, match="-32602"):
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
        assert process.wait(timeout=90) == 0
    finally:
        stream.close()
        connection.close()
        process.kill()


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + 120
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=90)
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


def test_the_status_of_links_is_served_and_its_changes_are_told(client: LspClient, tmp_path: Path) -> None:
    client.start()
    dump = "shader: MESA_SHADER_{}\nimpl main {{\n    block b0:\n}}\n"
    uri = client.open(tmp_path / "a.log", dump.format("VERTEX") + "a log line\n" + dump.format("FRAGMENT"))
    document = {"uri": uri}
    (vertex, fragment) = client.request("nirls/linkStatus", {"textDocument": document})["dumps"]
    assert (vertex["stage"], vertex["firstLine"], vertex["lastLine"]) == ("VS", 0, 3)
    assert vertex["links"][0]["with"][0]["line"] == fragment["firstLine"] == 5
    place = {"line": 6, "character": 0}
    asked = client.request("nirls/linkStatus", {"textDocument": document, "position": place})
    assert asked["dumps"] == [fragment]
    lenses = client.request("textDocument/codeLens", {"textDocument": document})
    lenses = [lens for lens in lenses if lens.get("command", {}).get("title", "").startswith("linked")]
    assert [lens["range"]["start"]["line"] for lens in lenses] == [0, 5]
    assert lenses[0]["command"]["title"] == vertex["text"] == "linked with FS (dump 2) (sequence)"
    changed = client.wait_for_notification("nirls/linkStatusChanged", lambda: _edit(client, uri))
    assert changed == {"uri": uri}
    (vertex, _) = client.request("nirls/linkStatus", {"textDocument": document})["dumps"]
    assert vertex["whyNot"] == "dump 2: CS does not follow VS"
    assert client.request("nirls/linkStatus", {"textDocument": {"uri": "file:///x"}}) == {"dumps": []}
    assert client.stop() == 0


def _edit(client: LspClient, uri: str) -> None:
    word = {"start": {"line": 5, "character": 20}, "end": {"line": 5, "character": 28}}
    change = {"range": word, "text": "COMPUTE"}
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]},
    )
