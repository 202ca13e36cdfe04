"""Workspace edits say for which version of the document they were made: a client refuses late ones."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.lsp_client import LspClient, Message

VERSION = 7
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}
CAPABILITIES = {
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "workspaceFolders": True},
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}


class Editor(LspClient):
    """Keeps the edits that the server asks for, and takes them."""

    def __init__(self, folder: Path) -> None:
        super().__init__([sys.executable, "-P", "-m", "nirls.server", "serve"], folder)
        self.asked: list[Message] = []

    def respond(self, method: str, params: Any) -> Any:
        if method == "workspace/applyEdit":
            self.asked.append(params["edit"])
            return {"applied": True}
        return super().respond(method, params)


@pytest.fixture
def editor(tmp_path: Path, data: Path) -> Iterator[Editor]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    for stage in ("vert", "frag"):
        shutil.copy(data / "pipelines" / f"tinted.{stage}.nir", folder)
    running = Editor(folder)
    running.start(CAPABILITIES)
    yield running
    running.process.kill()
    running.process.wait()


def opened(editor: Editor, name: str) -> str:
    """Open a file at a version that is not the first; returns its URI."""
    path = editor.folder / name
    uri = editor.open(path, path.read_text() + "\n")
    line = path.read_text().count("\n")
    end = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    document = {"uri": uri, "version": VERSION}
    change = {"textDocument": document, "contentChanges": [{"range": end, "text": ""}]}
    editor.notify("textDocument/didChange", change)
    editor.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
    return uri


def check(edit: Message, uri: str) -> None:
    assert "changes" not in edit
    assert edit["documentChanges"]
    for change in edit["documentChanges"]:
        # What is not open has no version; the client knows from its file whether it changed.
        wanted = VERSION if change["textDocument"]["uri"] == uri else None
        assert change["textDocument"]["version"] == wanted
        assert change["edits"]


def actions(editor: Editor, uri: str) -> list[Any]:
    asked = {"textDocument": {"uri": uri}, "range": WHOLE, "context": {"diagnostics": []}}
    found: list[Any] = editor.request("textDocument/codeAction", asked)
    return found


def test_code_actions(editor: Editor) -> None:
    uri = opened(editor, "tinted.vert.nir")
    kinds = set()
    for action in actions(editor, uri):
        if action["kind"] in kinds:
            continue
        edit = editor.request("codeAction/resolve", action).get("edit")
        if edit is not None:
            check(edit, uri)
            kinds.add(action["kind"])
    assert {"quickfix", "source.fixAll.nirls"} <= kinds


def test_an_action_for_older_text_is_for_the_text_of_now_or_refused(editor: Editor) -> None:
    uri = opened(editor, "tinted.vert.nir")
    action = next(one for one in actions(editor, uri) if one["kind"] == "quickfix")
    # The whole dump is gone: nothing is left that the action could be about.
    document = {"uri": uri, "version": VERSION + 1}
    editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": ""}]})
    try:
        assert "edit" not in editor.request("codeAction/resolve", action)
    except RuntimeError as error:
        assert "code" in str(error)  # noqa: PT017 - either is right


def test_rename(editor: Editor) -> None:
    uri = opened(editor, "tinted.vert.nir")
    text = (editor.folder / "tinted.vert.nir").read_text().splitlines()
    line = next(number for number, one in enumerate(text) if "load_const" in one)
    place = {"line": line, "character": text[line].index("%") + 1}
    edit = editor.request(
        "textDocument/rename", {"textDocument": {"uri": uri}, "position": place, "newName": "%9999"}
    )
    check(edit, uri)


@pytest.mark.parametrize(
    ("command", "rest"), [("nirls.renumber", [0]), ("nirls.applyPass", [0, "opt_varyings_dead_io"])]
)
def test_commands(editor: Editor, command: str, rest: list[object]) -> None:
    uri = opened(editor, "tinted.vert.nir")
    editor.request("workspace/executeCommand", {"command": command, "arguments": [uri, *rest]})
    (edit,) = editor.asked
    check(edit, uri)
