from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.server.ide.graphs.dominators import dominator_tree
from nirls.server.ide.graphs.graph import Graph, NodeKind

DIAMOND = b"""shader: MESA_SHADER_VERTEX
impl main {
    block b0:  // preds:
    1     %0 = load_const (true)
               // succs: b1 b2
    if %0 {
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    block b4:
}
"""
ENDLESS = b"""shader: MESA_SHADER_VERTEX
impl main {
    block b0:  // preds: , succs: b1
    loop {
        block b1:  // preds: b0 b1, succs: b1
    }
    block b2:  // preds: , succs: b3
    block b3:
}
"""


def tree(text: bytes, *, post: bool) -> tuple[set[tuple[str, str]], Graph]:
    (impl,) = parse_dump(text).impls()
    graph = dominator_tree(impl, post=post)
    titles = {node.name: node.label[0] for node in graph.nodes}
    return {(titles[edge.source], titles[edge.target]) for edge in graph.edges}, graph


def test_dominators() -> None:
    edges, graph = tree(DIAMOND, post=False)
    assert edges == {("b0", "b1"), ("b0", "b2"), ("b0", "b3"), ("b3", "b4")}
    assert graph.title == "dominator tree of main"


def test_post_dominators() -> None:
    edges, graph = tree(DIAMOND, post=True)
    assert edges == {("b4", "b3"), ("b3", "b0"), ("b3", "b1"), ("b3", "b2")}
    assert graph.title == "post-dominator tree of main"


def test_blocks_that_are_never_reached_stand_alone() -> None:
    edges, graph = tree(ENDLESS, post=False)
    assert edges == {("b0", "b1")}
    assert {node.label for node in graph.nodes if node.kind is NodeKind.UNMATCHED} == {
        ("b2", "never reached"),
        ("b3", "never reached"),
    }
    assert tree(ENDLESS, post=True)[0] == {("b3", "b2")}
