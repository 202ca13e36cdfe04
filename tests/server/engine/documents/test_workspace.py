"""The workspace: documents that are opened and closed, and the files linked with them."""

from __future__ import annotations

from pathlib import Path

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.documents.workspace import Workspace

DUMP = """\
shader: MESA_SHADER_VERTEX
name: %s
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %%0 = load_const (0x00000001)
    32     %%1 = fadd %%0, %%0  // é 𝄞
    32     %%2 = fmul %%1, %%0
                // succs: b1
    block b1:
}
"""
LOG = "one\n" + DUMP % "a" + "two\n" + (DUMP % "b").replace("VERTEX", "FRAGMENT") + "three\n"
URI = "file:///log.nir"


def change(document: Document, line: int, column: int, lines: int, text: str) -> None:
    start = Position(line, column)
    range_ = Range(start, Position(line + lines, column))
    version = document.snapshot.version + 1
    document.change([TextChange(range_, text)], version, Encoding.UTF16)


def test_the_ir_of_replaced_and_closed_dumps_is_dropped() -> None:
    workspace = Workspace()
    document = workspace.open(URI, LOG, 1)
    states = [document.state(dump.piece) for dump in document.snapshot.dumps()]
    assert all(state.shader.entrypoint is not None for state in states)
    change(document, 0, 0, DUMP.count("\n") + 2, DUMP % "another")
    assert [state.has_shader for state in states] == [False, True]
    workspace.close(URI)
    assert not states[1].has_shader


def test_a_partner_is_read_again_when_it_changes(tmp_path: Path) -> None:
    workspace = Workspace()
    workspace.open((tmp_path / "a.vert.nir").as_uri(), LOG, 1)
    path = tmp_path / "a.frag.nir"
    assert workspace.partner(path, 10_000) is None
    path.write_bytes(b"\xff\xfe" + LOG.encode())
    first = workspace.partner(path, 10_000)
    assert first is not None
    assert not first.is_open
    assert workspace.partner(path, 10_000) is first
    path.write_text(LOG + "more")
    assert workspace.partner(path, 10_000) is not first
    assert workspace.partner(path, 10) is None
