"""A session measures what it says, with a server that answers in a known way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tools.bench.session import Typing, in_the_middle, median_of, opened, peak_memory
from tools.bench.timing import since

SERVER = """
import json, sys

def read():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name == b"Content-Length" else length
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit()

def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.buffer.flush()

print("a log", file=sys.stderr, flush=True)
lines = []
while message := read():
    params = message.get("params") or {}
    if "id" in message:
        send({"id": message["id"], "result": {"capabilities": {"textDocumentSync": SYNC}}})
        continue
    if message["method"] == "textDocument/didOpen":
        lines = params["textDocument"]["text"].split("\\n")
    for change in params.get("contentChanges", ()):
        if "range" in change:
            line, start = change["range"]["start"].values()
            end = change["range"]["end"]["character"]
            lines[line] = lines[line][:start] + change["text"] + lines[line][end:]
        else:
            lines = change["text"].split("\\n")
    if "textDocument" in params:
        found = [{"message": f"unknown word {line}"} for line in lines]
        send({"method": "textDocument/publishDiagnostics",
              "params": {"uri": params["textDocument"]["uri"], "diagnostics": found}})
"""


def test_a_word_is_found_near_the_middle() -> None:
    text = "word here\nnothing\na  word  and\nword \n"
    assert in_the_middle(text, "word") == Typing(2, 3, "word")


def test_the_median_is_taken_of_each_figure() -> None:
    sessions = [{"a": 1.0, "b": 5.0}, {"a": 3.0, "b": 4.0}, {"a": 2.0, "b": 9.0}]
    assert median_of(sessions) == {"a": 2.0, "b": 5.0}


def test_time_goes_on() -> None:
    assert since(0.0) > 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_is_that_of_the_process() -> None:
    assert 5 < peak_memory(os.getpid()) < 100_000


@pytest.mark.parametrize("sync", ["1", "2", '{"openClose": True, "change": 2}'])
def test_a_keystroke_is_timed_until_the_server_names_the_new_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], sync: str
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER.replace("SYNC", sync))
    text = "first\na fadd b\nlast"
    command = [sys.executable, str(script)]
    settled: list[object] = []
    with opened(command, "a.txt", text, in_the_middle(text, "fadd"), settled.append, is_quiet=True) as (
        session,
        figures,
    ):
        assert len(settled) == 1
        assert all(time > 0 for time in figures.values())
        for typed in ("a", "ab", "abc"):
            assert session.keystroke() > 0
            assert session.typed == typed
            assert [one["message"] for one in session.client.diagnostics[session.uri]] == [
                "unknown word first",
                f"unknown word a {typed}fadd b",
                "unknown word last",
            ]
        session.change(0, 0, 5, "1st")
        session.client.wait_for_diagnostics(session.uri, lambda found: "1st" in found[0]["message"])
        assert session.time_of("textDocument/hover") > 0
    assert session.client.process.poll() is not None
    assert "a log" not in capfd.readouterr().err
