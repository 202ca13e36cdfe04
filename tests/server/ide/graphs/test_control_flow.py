from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.server.ide.graphs.control_flow import MOST_BLOCKS, MOST_LINES, control_flow_graph, dominator_tree
from nirls.server.ide.graphs.graph import Graph, NodeKind
from tests.passes.shader_text import ZERO, shader

LOOP = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
               // succs: b1
    loop {
        block b1:  // preds: b0 b3
        1     %3 = ieq %0, %0
                   // succs: b2 b3
        if %3 {
            block b2:  // preds: b1
            break
            // succs: b4
        } else {
            block b3:  // preds: b1, succs: b1
        }
    }
    block b4:  // preds: b2, succs: b5
    block b5:
}
"""


def edges(graph: Graph) -> set[tuple[str, str]]:
    titles = {node.name: node.label[0] for node in graph.nodes}
    return {(titles[edge.source], titles[edge.target]) for edge in graph.edges}


def test_blocks_and_where_they_lead() -> None:
    parsed = parse_dump(LOOP)
    (impl,) = parsed.impls()
    graph = control_flow_graph(parsed, impl)
    wanted = {(block, target) for block, target in [("b0", "b1"), ("b1", "b2"), ("b1", "b3"), ("b2", "b4")]}
    merge = [target for source, target in edges(graph) if source == "b3"]
    assert wanted <= edges(graph)
    assert len(merge) == 1
    assert {edge.label for edge in graph.edges} >= {"%3", "!%3"}
    assert any(edge.is_back for edge in graph.edges)
    assert graph.nodes[-1].kind is NodeKind.END


def test_places_are_those_of_the_text() -> None:
    parsed = parse_dump(LOOP)
    (impl,) = parsed.impls()
    first = control_flow_graph(parsed, impl).nodes[0]
    assert first.place is not None
    text = LOOP[first.place.start : first.place.end]
    assert text.startswith(b"block b0:")
    assert text.endswith(b"load_const (0x00000000)")
    assert first.label == ("b0", "32 %0 = load_const (0x00000000)")


def test_long_blocks_are_cut() -> None:
    parsed = shader("VERTEX", *(ZERO.replace("%0", f"%{n}") for n in range(100)))
    (impl,) = parsed.impls()
    (label, *_) = [node.label for node in control_flow_graph(parsed, impl).nodes]
    assert len(label) == MOST_LINES + 1
    assert label[-1] == "… 89 more"


@pytest.mark.parametrize("depth", [3000])
def test_too_many_blocks_are_left_out(depth: int) -> None:
    opening = "".join(
        f"block b{n}:  // preds:\n1 %{n} = load_const (true)\nif %{n} {{\n" for n in range(depth)
    )
    text = (
        f"shader: MESA_SHADER_VERTEX\nimpl main {{\n{opening}block b{depth}:\n"
        + "} else {\n}\n" * depth
        + "}\n"
    )
    parsed = parse_dump(text.encode())
    (impl,) = parsed.impls()
    graph = control_flow_graph(parsed, impl)
    assert len(graph.nodes) == MOST_BLOCKS
    assert graph.left_out > 0
    assert len(dominator_tree(impl).nodes) == len(dominator_tree(impl, post=True).nodes) == MOST_BLOCKS


def test_every_real_shader_can_be_drawn(data: Path) -> None:
    for path in sorted((data / "pipelines").glob("*.nir")):
        parsed = parse_dump(path.read_bytes())
        for impl in parsed.impls():
            graph = control_flow_graph(parsed, impl)
            assert len(graph.nodes) == len(impl.blocks()) + 1
            assert len(edges(graph)) == sum(len(block.successors) for block in impl.blocks())


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
