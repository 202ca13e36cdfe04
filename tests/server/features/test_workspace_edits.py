"""Edits in the two forms of LSP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nirls.ir.edits import TextEdit
from nirls.server.client import Client
from nirls.server.features.workspace_edits import text_edits, workspace_edit
from nirls.server.language_server import make_server
from nirls.server.nirls_server import NirlsServer

DUMP = "a log\nshader: MESA_SHADER_FRAGMENT\nname: 𝄞x\nimpl main {\n}\n"


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server()
    yield made
    made.stop_work()


@pytest.mark.parametrize("versioned", [True, False])
def test_forms(server: NirlsServer, versioned: bool) -> None:
    server.client = Client(document_changes=versioned)
    document = server.documents.open("untitled:a", DUMP, 7)
    (dump,) = document.snapshot.dumps()
    at = dump.piece.text.index(b"x\n")
    edits = text_edits(server, dump, [TextEdit(at, at + 1, "y")])
    place = {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 9}}
    assert edits == [{"range": place, "newText": "y"}]
    edit = workspace_edit(server, document, edits)
    if versioned:
        identifier = {"uri": "untitled:a", "version": 7}
        assert edit == {"documentChanges": [{"textDocument": identifier, "edits": edits}]}
    else:
        assert edit == {"changes": {"untitled:a": edits}}
