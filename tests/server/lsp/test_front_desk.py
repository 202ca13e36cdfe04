"""The first message of a client, in pieces and otherwise odd."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from nirls.server.lsp.front_desk import Met, meet

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "one",
    "method": "initialize",
    "params": {"processId": None, "capabilities": {}},
}


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def met(pieces: Sequence[bytes]) -> tuple[Met, bytes]:
    """What is made of bytes that come piece by piece, and what is answered."""
    source, client = os.pipe()
    answers, sink = os.pipe()

    def say() -> None:
        for piece in pieces:
            os.write(client, piece)
        os.close(client)

    thread = threading.Thread(target=say)
    thread.start()
    result = meet(source, sink)
    os.close(sink)
    with os.fdopen(answers, "rb") as file:
        said = file.read()
    thread.join()
    os.close(source)
    return result, said


def test_initialize_is_answered_and_kept_for_the_server() -> None:
    data = framed(INITIALIZE)
    result, said = met([data])
    assert (result.read, result.id) == (data, "one")
    answer: dict[str, Any] = json.loads(said.partition(b"\r\n\r\n")[2])
    assert answer["id"] == "one"
    assert answer["result"] == result.answer
    assert answer["result"]["capabilities"]["hoverProvider"]


def test_it_may_come_byte_by_byte_and_with_other_headers() -> None:
    data = b"Content-Type: x\r\n" + framed(INITIALIZE)
    result, said = met([bytes([byte]) for byte in data])
    assert result.read == data
    assert said


def test_what_comes_behind_it_is_kept() -> None:
    data = framed(INITIALIZE) + framed({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    assert met([data])[0].read == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Content-Length: 5",
        b"Content-Length: 500\r\n\r\n{}",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: 3\r\n\r\n{{{",
        b"x" * 70_000 + b"\r\n\r\n",
        framed([]),
        framed({**INITIALIZE, "method": "shutdown"}),
        framed({**INITIALIZE, "id": None}),
        framed({**INITIALIZE, "params": []}),
    ],
)
def test_all_else_is_left_to_the_server(data: bytes) -> None:
    result, said = met([data])
    assert result.answer is None
    assert said == b""
    assert data.startswith(result.read)


def test_nothing_of_the_server_is_imported_before_the_answer() -> None:
    code = "import sys, nirls.server.lsp.front_desk; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    imported = set(ran.stdout.split())
    assert not imported & {"pygls", "lsprotocol", "attrs", "asyncio", "tree_sitter", "nirls.ir.model.shader"}
