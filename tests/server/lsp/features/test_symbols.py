"""Document symbols that are kept as JSON are those that would be made now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import TextChange
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

URI = "file:///x.log"


@pytest.fixture
def server(data: Path) -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
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
    assert [symbol["name"] for symbol in before] == ["VS", "FS: nir_opt_dce (dump 2)"]
    assert before[1]["detail"] == ""
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


LOOP = """\
shader: MESA_SHADER_FRAGMENT
decl_var shader_in INTERP_MODE_SMOOTH none vec2 uv (VARYING_SLOT_VAR0.xy, 0, 0)
decl_function main () (entrypoint)

impl main {
    decl_var INTERP_MODE_NONE none float sum
    block b0:  // preds:
    1      %0 = load_const (true)
    32     %1 = undefined
               // succs: b1 b4
    if %0 (true) {
        block b1:  // preds: b0
        32     %2 = @load_input (%1) (base=0, component=0, io location=VARYING_SLOT_VAR0 slots=1)
        32     %3 = @load_input (%1) (base=0, component=1, io location=VARYING_SLOT_VAR0 slots=1)
                   // succs: b2
        loop {
            block b2:  // preds: b1
            break
            // succs: b3
        }
        block b3:  // preds: b2, succs: b5
    } else {  // nothing
        block b4:  // preds: b0, succs: b5
        @store_output (%1, %1) (base=0, component=0, io location=FRAG_RESULT_DATA0 slots=1, xfb())
    }
    block b5:  // preds: b3 b4, succs: b6
    block b6:
}
"""


def named(symbol: dict[str, Any]) -> Any:
    children = [named(child) for child in symbol.get("children", ())]
    return (symbol["name"], children) if children else symbol["name"]


def test_variables_slots_ifs_and_loops_are_in_the_outline(server: NirlsServer) -> None:
    server.documents.open(URI, "NIR (final form) for fragment shader:\n" + LOOP, 1)
    (found,) = shown(server)
    first = ("if %0 (true)", [("b1", ["in VAR0"]), ("loop", ["b2"]), "b3"])
    second = ("else", [("b4", ["out DATA0"])])
    assert named(found) == (
        "FS: NIR (final form) for fragment shader (dump 1)",
        ["uv", ("main", ["sum", "b0", first, second, "b5", "b6"])],
    )
    assert found["children"][0]["detail"] == "shader_in"
    lines = LOOP.split("\n")
    (if_, _) = found["children"][1]["children"][2:4]
    assert (if_["range"]["start"]["line"], if_["range"]["end"]["line"]) == (
        1 + lines.index("    if %0 (true) {"),
        lines.index("    } else {  // nothing"),
    )
    slot = if_["children"][0]["children"][0]
    assert (slot["detail"], slot["range"]["start"]["line"]) == ("load_input", 13)


def test_children_lie_within_their_parents(server: NirlsServer) -> None:
    def check(symbol: dict[str, Any]) -> None:
        last = -1
        for child in symbol.get("children", ()):
            start, end = (child["range"][one]["line"] for one in ("start", "end"))
            assert symbol["range"]["start"]["line"] <= start <= end <= symbol["range"]["end"]["line"]
            assert last <= start
            last = end
            check(child)

    for cut in range(len(LOOP), 0, -61):
        server.documents.open(URI, LOOP[:cut], 1)
        for one in shown(server):
            check(one)
