"""The pictures of a small pipeline, in DOT, as they were last looked at."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from nirls.server.ide.graphs.dot import to_dot
from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject, graph_of
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store

VERTEX = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1", store("VAR0", "%2"), store("VAR1")).encode()
FRAGMENT = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    LOAD
    1     %3 = ieq %1, %0 (0x0)
               // succs: b1 b2
    if %3 {
        block b1:  // preds: b0
        32    %4 = fneg %1
                   // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    32    %5 = phi b1: %4, b2: %0 (0x0)
               // succs: b4
    block b4:
}
""".replace(b"LOAD", load(1, "VAR0").encode())


@pytest.mark.parametrize("kind", list(GraphKind))
def test_pictures(kind: GraphKind, snapshot: SnapshotAssertion) -> None:
    assert to_dot(graph_of(kind, GraphSubject((VERTEX, FRAGMENT), 1, title="sky"))) == snapshot
