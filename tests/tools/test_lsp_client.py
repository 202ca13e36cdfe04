from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.scripted_server import MESSAGES
from tools.lsp_client import LspClient, RefusedError, apply_text_edits, edits_of


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, object]:
    return {
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
        "newText": text,
    }


def test_edits_are_in_places_of_the_text_before() -> None:
    text = "one\ntwo\nthree\n"
    edits = [edit((2, 0), (2, 5), "3"), edit((0, 1), (1, 1), "X"), edit((3, 0), (3, 0), "end\n")]
    assert apply_text_edits(text, edits) == "oXwo\n3\nend\n"


def test_characters_are_utf16_units() -> None:
    assert apply_text_edits("é𝄞b\n", [edit((0, 3), (0, 4), "c")]) == "é𝄞c\n"


def test_both_forms_of_workspace_edits() -> None:
    one = edit((0, 0), (0, 0), "x")
    assert edits_of({"changes": {"file:///a": [one]}}, "file:///a") == [one]
    changes = [{"textDocument": {"uri": "file:///a"}, "edits": [one]}, {"kind": "create"}]
    assert edits_of({"documentChanges": changes}, "file:///a") == [one]
    assert edits_of({"documentChanges": changes}, "file:///b") == []


SERVER = (
    MESSAGES
    + """
request = receive()
send(method="textDocument/publishDiagnostics", params={"uri": "a", "diagnostics": [{"code": "x"}]})
send(id=7, method="workspace/configuration", params={"items": [{}, {}]})
answered = receive()
send(id=request["id"], result={"asked": request["params"], "configured": answered["result"]})
refused = receive()
send(id=refused["id"], error={"code": -32601, "message": "no such request"})
receive()
"""
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    with LspClient([sys.executable, "-c", SERVER], tmp_path) as made:
        yield made


def test_messages_are_plain_json_in_both_directions(client: LspClient) -> None:
    assert client.request("any/thing", {"é": [None]}) == {"asked": {"é": [None]}, "configured": [None, None]}
    assert client.diagnostics == {"a": [{"code": "x"}]}
    with pytest.raises(RefusedError, match=r"-32601.*no such request"):
        client.request("refused", None)
    with pytest.raises(RuntimeError, match="the server ended"):
        client.request("last", None)
    with pytest.raises(RuntimeError, match="the server ended"):
        client.wait_for_diagnostics("b", bool)
    assert client.wait_for_diagnostics("a", bool) == [{"code": "x"}]
