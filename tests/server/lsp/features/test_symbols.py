"""Document symbols that are kept as JSON are those that would be made now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from nirls.server.engine.positions import Encoding, Position, Range
from nirls.server.engine.workspace import TextChange
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

URI = "file:///x.log"


@pytest.fixture
def server(data: Path) -> Iterator[NirlsServer]:
    made = make_server()
    made.client = Client(hierarchical_symbols=True)
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    made.documents.open(URI, "\nnir_opt_dce\n".join(stages), 1)
    yield made
    made.shutdown()


def shown(server: NirlsServer) -> list[dict[str, Any]]:
    handler = server.protocol.fm.features[types.TEXT_DOCUMENT_DOCUMENT_SYMBOL]
    answer = asyncio.run(handler(types.DocumentSymbolParams(types.TextDocumentIdentifier(URI))))
    found: list[dict[str, Any]] = json.loads(answer)
    return found


def lines_of(symbol: dict[str, Any]) -> list[int]:
    own = [symbol[name][end]["line"] for name in ("range", "selectionRange") for end in ("start", "end")]
    return own + [line for child in symbol.get("children", ()) for line in lines_of(child)]


def insert(server: NirlsServer, line: int, text: str) -> None:
    document, place = server.documents.documents[URI], Position(line, 0)
    document.change([TextChange(Range(place, place), text)], document.snapshot.version + 1, Encoding.UTF16)


def test_lines_typed_above_move_the_symbols(server: NirlsServer) -> None:
    before = shown(server)
    assert [symbol["name"].split()[0] for symbol in before] == ["VS", "FS"]
    assert before[1]["detail"] == "nir_opt_dce"
    insert(server, 0, "one\ntwo\n")
    after = shown(server)
    for old, new in zip(before, after, strict=True):
        assert lines_of(new) == [line + 2 for line in lines_of(old)]
    assert after[0]["detail"] == "two"


def test_an_edit_in_one_dump_leaves_the_one_above(server: NirlsServer) -> None:
    before = shown(server)
    insert(server, before[1]["children"][0]["range"]["start"]["line"] + 2, "    // a comment\n")
    after = shown(server)
    assert after[0] == before[0]
    assert after[1]["range"]["end"]["line"] == before[1]["range"]["end"]["line"] + 1


def test_a_flat_list_follows_the_text_too(server: NirlsServer) -> None:
    hierarchical = shown(server)
    server.client = Client()
    before = shown(server)
    assert [one["name"] for one in before if "containerName" not in one] == [
        symbol["name"] for symbol in hierarchical
    ]
    assert before[0]["location"] == {"uri": URI, "range": hierarchical[0]["range"]}
    insert(server, 0, "one\ntwo\n")
    after = shown(server)
    starts = [[one["location"]["range"]["start"]["line"] for one in each] for each in (before, after)]
    assert starts[1] == [line + 2 for line in starts[0]]
