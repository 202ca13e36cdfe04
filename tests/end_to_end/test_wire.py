"""Bytes on the wire that no well-behaved client sends, to a server process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.end_to_end.conftest import SERVE
from tools.synthetic import log_of_lines


class RawServer:
    """A server process that is sent bytes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
        )
        self._messages: Queue[dict[str, Any] | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            if found := re.match(rb"Content-Length: (\d+)", header):
                while out.readline().strip():
                    pass
                self._messages.put(json.loads(out.read(int(found[1]))))
        self._messages.put(None)

    def send(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def say(self, **message: Any) -> None:
        self.send(framed(message))

    def answer(self, *numbers: int | None) -> dict[str, Any]:
        """Wait for the answer to one of some requests."""
        deadline = time.monotonic() + 30
        while (message := self._messages.get(timeout=max(deadline - time.monotonic(), 0.01))) is not None:
            if "method" not in message and message.setdefault("id") in numbers:
                return message
        raise AssertionError("the server has ended")

    def initialize(self, **params: Any) -> dict[str, Any]:
        self.say(
            id=0,
            method="initialize",
            params={"processId": None, "rootUri": None, "capabilities": {}, **params},
        )
        return self.answer(0)

    def error_of(self, number: int | None) -> int:
        code: int = self.answer(number)["error"]["code"]
        return code


def framed(message: dict[str, Any], header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return header % len(body) + body


HOVER = {
    "method": "textDocument/hover",
    "params": {"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}},
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RawServer]:
    made = RawServer(tmp_path)
    with made.process:
        yield made
        made.process.kill()


def test_requests_before_initialize_and_after_shutdown(server: RawServer) -> None:
    server.say(id=1, **HOVER)
    assert server.error_of(1) == -32002
    server.initialize()
    server.say(id=2, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    assert server.error_of(2) == -32600
    server.say(id=3, **HOVER)
    assert server.answer(3)["result"] is None
    server.say(id=4, method="shutdown")
    assert server.answer(4)["result"] is None
    server.say(id=5, **HOVER)
    assert server.error_of(5) == -32600
    server.say(method="exit")
    assert server.process.wait(timeout=30) == 0


@pytest.mark.parametrize("ending", [b"", framed({"method": "exit"})])
def test_what_follows_a_long_text_at_once_is_answered(server: RawServer, ending: bytes) -> None:
    """Also if the client closes its end, or ends the server, while the text is divided."""
    server.initialize()
    item = {"uri": "file:///long", "languageId": "nir", "version": 1, "text": log_of_lines(30_000, 200)}
    about = {"textDocument": {"uri": "file:///long"}}
    server.send(
        framed({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        + framed({"id": 1, "method": "textDocument/documentSymbol", "params": about})
        + framed({"id": 2, "method": "shutdown"})
        + ending
    )
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.answer(2)["result"] is None
    assert server.process.wait(timeout=30) == 0


def test_what_is_not_json_is_answered(server: RawServer) -> None:
    server.initialize()
    for number, body in enumerate(
        [
            b"{",
            b"\xff\xfe",
            b"[" * 100_000,
            b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": ' + b"9" * 5000 + b"}",
        ],
        1,
    ):
        server.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert server.error_of(None) == -32700
        server.say(id=number, **HOVER)
        assert server.answer(number)["result"] is None


def test_what_is_nested_too_deep_is_answered(server: RawServer) -> None:
    """Some versions of Python read more levels than others."""
    server.initialize()
    deep = b'{"jsonrpc": "2.0", "id": 100, "method": "x", "params": ' + b'{"a":' * 2000 + b"1" + b"}" * 2001
    for number, (body, codes) in enumerate(
        [(b"[" * 2000 + b"]" * 2000, {None: (-32700, -32600)}), (deep, {None: (-32700,), 100: (-32601,)})], 1
    ):
        server.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer = server.answer(*codes)
        assert answer["error"]["code"] in codes[answer["id"]]
        server.say(id=number, **HOVER)
        assert server.answer(number)["result"] is None


def test_json_that_is_no_message_costs_nothing_else(server: RawServer) -> None:
    server.initialize()
    for number, body in enumerate([b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "id": 1}'], 1):
        server.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.say(id=number, **HOVER)
        assert server.answer(number)["result"] is None


def test_json_that_is_no_message_is_answered(server: RawServer) -> None:
    server.initialize()
    for number, body in enumerate([b"[]", b"1", b'"text"', b"null", b"{}", b'{"id": 1}'], 1):
        server.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert server.error_of(None) == -32600
        server.say(id=number, **HOVER)
        assert server.answer(number)["result"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="the parent is watched on POSIX only")
def test_the_server_ends_with_its_client(server: RawServer) -> None:
    with subprocess.Popen(["sleep", "2"]) as client:
        server.initialize(processId=client.pid)
    assert server.process.wait(timeout=30) == 1


def test_a_process_that_never_was_is_not_waited_for(server: RawServer) -> None:
    server.initialize(processId=2**22 + 12345)
    time.sleep(1)
    server.say(id=2, **HOVER)
    assert server.answer(2)["result"] is None


def test_the_server_ends_when_its_output_is_closed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(
        framed({"id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}})
    )
    process.stdin.flush()
    assert process.wait(timeout=60) == 1
    process.stdin.close()
