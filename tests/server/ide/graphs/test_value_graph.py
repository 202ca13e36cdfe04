from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.graphs.graph import Graph, NodeKind
from nirls.server.ide.graphs.value_graph import MOST_NODES, value_graph
from tests.passes.shader_text import ONE, ZERO, shader, use

PROGRAM = shader(
    "VERTEX",
    ZERO,
    ONE,
    "32    %2 = fadd %1 (1.000000), %1 (1.000000)",
    "32    %3 = fmul %2, %1 (1.000000)",
    "32    %4 = fneg %3",
    "32    %5 = fabs %4",
    use("%5"),
)


def drawn(parsed: Shader, number: int | None) -> Graph:
    (impl,) = parsed.impls()
    focus: Instr | None = None
    if number is not None:
        focus = next(value.instr for value in impl.defs() if value.index == number)
    return value_graph(parsed, impl, focus)


def edges(graph: Graph) -> set[tuple[str, str]]:
    words = {node.name: node.label[0].partition("=")[2].split()[0] or "use" for node in graph.nodes}
    return {(words[edge.source], words[edge.target]) for edge in graph.edges}


def test_all_values() -> None:
    graph = drawn(PROGRAM, None)
    assert len(graph.nodes) == 7
    assert ("load_const", "fadd") in edges(graph)
    assert ("fneg", "fabs") in edges(graph)
    assert [node.kind for node in graph.nodes][:3] == [NodeKind.CONSTANT, NodeKind.CONSTANT, NodeKind.INSTR]
    assert graph.nodes[-1].kind is NodeKind.EFFECT


def test_what_a_value_is_made_of_and_who_reads_it() -> None:
    graph = drawn(PROGRAM, 3)
    assert [node.label[0] for node in graph.nodes] == [
        "32 %3 = fmul %2, %1 (1.000000)",
        "32 %2 = fadd %1 (1.000000), %1 (1.000000)",
        "32 %1 = load_const (0x3f800000 = 1.000000)",
        "32 %4 = fneg %3",
    ]
    assert graph.nodes[0].kind is NodeKind.FOCUS
    assert edges(graph) == {
        ("fadd", "fmul"),
        ("load_const", "fmul"),
        ("load_const", "fadd"),
        ("fmul", "fneg"),
    }


def test_a_phi_of_a_loop_leads_back() -> None:
    text = b"""shader: MESA_SHADER_VERTEX
impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
               // succs: b1
    loop {
        block b1:  // preds: b0 b1
        32    %1 = phi b0: %0 (0x0), b1: %2
        32    %2 = iadd %1, %1
                   // succs: b1
    }
    block b2:  // preds: , succs: b3
    block b3:
}
"""
    graph = drawn(parse_dump(text), None)
    assert [edge.is_back for edge in graph.edges] == [False, True, False]
    assert NodeKind.PHI in {node.kind for node in graph.nodes}


def test_large_shaders_are_cut() -> None:
    lines = [f"32    %{n} = fneg %{n - 1}" for n in range(2, 2000)]
    parsed = shader("VERTEX", ZERO, ONE, *lines, use("%1999"))
    whole, around = drawn(parsed, None), drawn(parsed, 1999)
    assert len(whole.nodes) == len(around.nodes) == MOST_NODES
    assert whole.left_out == 2001 - MOST_NODES
    assert around.left_out > 0
    assert any("@store_ssbo" in node.label[0] for node in around.nodes)
