"""Edits in the two forms of LSP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from nirls.ir.text.edits import TextEdit
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers.workspace_edits import text_edits, workspace_edit
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

DUMP = "a log\nshader: MESA_SHADER_FRAGMENT\nname: 𝄞x\nimpl main {\n}\n"


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
    yield made
    made.shutdown()


@pytest.mark.parametrize("versioned", [True, False])
def test_forms(server: NirlsServer, versioned: bool) -> None:
    server.client = Client(document_changes=versioned)
    document = server.documents.open("untitled:a", DUMP, 7)
    (dump,) = document.snapshot.dumps()
    at = dump.piece.text.index(b"x\n")
    edits = text_edits(server, dump, [TextEdit(at, at + 1, "y")])
    place = {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 9}}
    plain = server.protocol.plain
    assert plain(edits) == [{"range": place, "newText": "y"}]
    edit = plain(workspace_edit(server, [(document, edits)]))
    if versioned:
        identifier = {"uri": "untitled:a", "version": 7}
        assert edit == {"documentChanges": [{"textDocument": identifier, "edits": plain(edits)}]}
    else:
        assert edit == {"changes": {"untitled:a": plain(edits)}}


def edit_to(text: str) -> types.TextEdit:
    place = types.Position(0, 0)
    return types.TextEdit(types.Range(place, place), text)


@pytest.mark.parametrize("asks", [True, False])
def test_the_client_asks_before_unchecked_edits(server: NirlsServer, asks: bool) -> None:
    server.client = Client(document_changes=True, change_annotations=asks)
    document = server.documents.open("untitled:a", DUMP, 7)
    (dump,) = document.snapshot.dumps()
    edits = text_edits(server, dump, [TextEdit(0, 0, "y")], is_unchecked=True)
    edit = server.protocol.plain(workspace_edit(server, [(document, edits)]))
    (change,) = edit["documentChanges"]
    assert [one.get("annotationId") for one in change["edits"]] == ["unchecked" if asks else None]
    annotations = edit.get("changeAnnotations", {})
    assert [one["needsConfirmation"] for one in annotations.values()] == [True] * asks


def test_edits_of_one_document_come_together(server: NirlsServer) -> None:
    server.client = Client(document_changes=True)
    documents = [server.documents.open(f"untitled:{name}", DUMP, 3) for name in "ab"]
    changes = [(documents[number], [edit_to(str(order))]) for order, number in enumerate((0, 1, 0))]
    assert server.protocol.plain(workspace_edit(server, changes))["documentChanges"] == [
        {
            "textDocument": {"uri": "untitled:a", "version": 3},
            "edits": server.protocol.plain([edit_to("0"), edit_to("2")]),
        },
        {"textDocument": {"uri": "untitled:b", "version": 3}, "edits": server.protocol.plain([edit_to("1")])},
    ]


def test_a_file_that_nobody_opened_has_no_version(server: NirlsServer, tmp_path: Path) -> None:
    server.client = Client(document_changes=True)
    (tmp_path / "a.nir").write_text(DUMP)
    server.documents.folders = (tmp_path,)
    document = server.documents.partner(tmp_path / "a.nir", 1 << 20)
    assert document is not None
    (change,) = server.protocol.plain(workspace_edit(server, [(document, [])]))["documentChanges"]
    assert change["textDocument"] == {"uri": (tmp_path / "a.nir").as_uri(), "version": None}
