"""What is told before the server is imported is what the server tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nirls.server.engine.workspace import Workspace
from nirls.server.lsp.features.diagnostic_json import diagnostics_of
from nirls.server.lsp.first_look import look
from nirls.server.lsp.frames import frame_at
from nirls.server.lsp.front_desk import Met
from nirls.server.lsp.inbox import Inbox
from nirls.server.lsp.language_server import make_server
from tools.synthetic import fragment_dump

ROOT = Path(__file__).parents[3]
URI = "file:///x.nir"
PULLS = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
MET = Met(b"", 0, {"capabilities": {"positionEncoding": "utf-16"}})


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def initialize(capabilities: object = None, options: object = None) -> bytes:
    params = {"capabilities": capabilities or {}, "initializationOptions": options}
    return framed({"id": 0, "method": "initialize", "params": params})


def opening(text: str, uri: str = URI) -> bytes:
    item = {"uri": uri, "languageId": "nir", "version": 7, "text": text}
    return framed({"method": "textDocument/didOpen", "params": {"textDocument": item}})


def pull(number: int, uri: str = URI) -> bytes:
    params = {"textDocument": {"uri": uri}}
    return framed({"id": number, "method": "textDocument/diagnostic", "params": params})


def looked(messages: Sequence[bytes]) -> tuple[list[dict[str, Any]], bytes, Workspace]:
    """What is told, what is left for the server, and what is known."""
    source, client = os.pipe()
    answers, sink = os.pipe()
    os.close(client)
    inbox = Inbox(source, b"".join(messages))
    known = look(inbox, MET, sink)
    os.close(sink)
    with os.fdopen(answers, "rb") as file:
        said = file.read()
    told = []
    position = 0
    while (frame := frame_at(said, position)) is not None:
        told.append(json.loads(said[frame.body : frame.end]))
        position = frame.end
    left = inbox.held()
    os.close(source)
    return told, left, known


@pytest.fixture
def broken() -> str:
    return fragment_dump(40).replace(" = fmul ", " = fmull ", 1)


@pytest.mark.parametrize(
    ("options", "project", "severities"),
    [
        (None, "", {2}),
        ({"severity": {"unknown-opcode": "hint"}}, "", {4}),
        (None, '[severity]\nunknown-opcode = "information"\n', {3}),
        ({"severity": {"unknown-opcode": "hint"}}, '[severity]\nunknown-opcode = "off"\n', {4}),
    ],
)
def test_settings_count_from_the_start(
    broken: str, tmp_path: Path, options: object, project: str, severities: set[int]
) -> None:
    (tmp_path / "nirls.toml").write_text(project)
    told, _, _ = looked([initialize(None, options), opening(broken, (tmp_path / "x.nir").as_uri())])
    (found,) = [one["params"]["diagnostics"] for one in told]
    assert {one["severity"] for one in found if one["code"] == "unknown-opcode"} == severities


def test_the_diagnostics_are_those_of_the_server(broken: str) -> None:
    messages = [initialize(), framed({"method": "initialized", "params": {}}), opening(broken)]
    told, left, known = looked(messages)
    server = make_server(store=known.store)
    document = server.documents.open(URI, broken, 7)
    # Its texts are checked already.
    assert all(document.state(dump.piece).problems for dump in document.snapshot.dumps())
    params = {"uri": URI, "version": 7, "diagnostics": json.loads(diagnostics_of(server, document))}
    server.stop_work()
    assert told == [{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}]
    assert "fmull" in params["diagnostics"][0]["message"]
    assert left == b"".join(messages)


def test_settings_count(broken: str) -> None:
    options = {"severity": {"unknown-opcode": "off"}}
    told, _, _ = looked([initialize(options=options), opening(broken)])
    assert told[0]["params"]["diagnostics"] == []


def test_a_client_that_pulls_is_answered_once(broken: str) -> None:
    kept = [initialize(PULLS), opening(broken), pull(4, "file:///other.nir")]
    told, left, _ = looked([*kept[:2], pull(3), kept[2]])
    assert [(one["id"], one["result"]["kind"]) for one in told] == [(3, "full")]
    assert "fmull" in told[0]["result"]["items"][0]["message"]
    assert left == b"".join(kept)


@pytest.mark.parametrize("method", ["textDocument/didChange", "textDocument/didClose", "shutdown"])
def test_nothing_is_told_of_what_may_have_changed(broken: str, method: str) -> None:
    messages = [initialize(PULLS), opening(broken), framed({"method": method, "params": {}}), pull(3)]
    told, left, _ = looked(messages)
    assert told == []
    assert left == b"".join(messages)


@pytest.mark.parametrize(
    "odd",
    [
        b"no message at all\r\n\r\n",
        b"Content-Length: 4\r\n\r\n{{{{",
        framed([1]),
        framed({"method": "textDocument/didOpen"}),
        framed({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 1}}}),
        opening("x")[:-5],
    ],
)
def test_what_is_odd_is_left_to_the_server(odd: bytes) -> None:
    told, left, _ = looked([initialize(), odd])
    assert told == []
    assert left == initialize() + odd


def test_the_protocol_is_not_imported_for_it() -> None:
    code = "import sys, nirls.server.lsp.first_look; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert not set(ran.stdout.split()) & {"lsprotocol.types", "attrs", "asyncio", "importlib.metadata"}


def test_without_a_document_it_gets_ready_for_one() -> None:
    code = (
        "import os, sys\n"
        "from tests.server.lsp.test_first_look import MET, initialize, look, Inbox\n"
        "for name in [name for name in sys.modules if name.startswith('nirls.ir.text.lowering')]:\n"
        "    print(name)\n"
        "known = look(Inbox(os.open(os.devnull, os.O_RDONLY), initialize()), MET, 1)\n"
        "print('nirls.ir.text.lowering.tree' in sys.modules, list(known))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT
    )
    assert ran.stdout.split() == ["True", "[]"]
