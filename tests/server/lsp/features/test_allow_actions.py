"""Actions that switch findings off; those with comments are tested with the other code actions."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from lsprotocol import types

from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers.action_data import Allow
from nirls.server.lsp.client import Client
from nirls.server.lsp.features.allow_actions import allow_edit, with_severity_off
from nirls.server.lsp.language_server import make_server


@pytest.mark.parametrize(
    "text",
    [
        "",
        'driver = "radv"\n',
        '[severity]\npacking = "hint"\n\n[passes]\nopt_dce = true\n',
        '[severity]\ndead-output = "error" # a remark\npacking = "hint"\n',
        "[passes]\nopt_dce = true",
    ],
)
def test_a_severity_is_switched_off_in_any_project_file(text: str) -> None:
    start, end, new_text = with_severity_off(text, "dead-output")
    expected = tomllib.loads(text)
    expected.setdefault("severity", {})["dead-output"] = "off"
    assert tomllib.loads(text[:start] + new_text + text[end:]) == expected


@pytest.mark.parametrize("encoding", list(Encoding))
def test_the_edit_of_a_project_file_counts_in_the_units_of_the_client(
    tmp_path: Path, encoding: Encoding
) -> None:
    project = tmp_path / "nirls.toml"
    project.write_text("[severity]  # größe 😀\n", encoding="utf-8")
    server = make_server(new_worker=InlineWorker)
    server.client = Client(encoding=encoding, document_changes=True)
    path = tmp_path / "a.nir"
    path.write_text("shader: MESA_SHADER_VERTEX\n")
    document = server.documents.open(path.as_uri(), path.read_text(), 1)
    edit = allow_edit(server, document, Allow(document.uri, 0, "workspace", "dead-output", 0))
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    (insertion,) = change.edits
    assert isinstance(insertion, types.TextEdit)
    column = {Encoding.UTF8: 26, Encoding.UTF16: 22, Encoding.UTF32: 21}[encoding]
    assert insertion.range.start == types.Position(0, column)
    server.scheduler.stop()
    server.fixer.stop()
