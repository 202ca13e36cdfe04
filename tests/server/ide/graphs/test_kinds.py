from __future__ import annotations

import pickle

import pytest

from nirls.server.ide.graphs.graph import NodeKind
from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject, NoGraphError, draw, graph_of
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

VERTEX = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1", store("VAR0", "%2")).encode()
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1")).encode()


@pytest.mark.parametrize("kind", list(GraphKind))
def test_every_kind_can_be_drawn(kind: GraphKind) -> None:
    graph = graph_of(kind, GraphSubject((VERTEX, FRAGMENT), 0))
    assert graph.nodes
    assert graph.title


def test_the_value_under_the_cursor_comes_first() -> None:
    subject = GraphSubject((VERTEX,), 0, VERTEX.index(b"fneg %1") + 6)
    assert graph_of(GraphKind.VALUES, subject).nodes[0].label == (
        "32 %1 = load_const (0x3f800000 = 1.000000)",
    )
    on_the_word = GraphSubject((VERTEX,), 0, VERTEX.index(b"fneg"))
    assert graph_of(GraphKind.VALUES, on_the_word).nodes[0].label == ("32 %2 = fneg %1",)
    assert graph_of(GraphKind.VALUES, on_the_word).nodes[0].kind is NodeKind.FOCUS


def test_a_pipeline_needs_two_stages() -> None:
    with pytest.raises(NoGraphError, match="linked with no other stage"):
        graph_of(GraphKind.VARYINGS, GraphSubject((VERTEX,)))


def test_a_dump_without_a_body() -> None:
    with pytest.raises(NoGraphError, match="no function"):
        graph_of(GraphKind.CONTROL_FLOW, GraphSubject((b"shader: MESA_SHADER_VERTEX\n",)))


TEXT = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1").encode()


def test_a_picture_can_be_sent() -> None:
    drawn = draw("values", GraphSubject((TEXT,)), wants_svg=False)
    assert pickle.loads(pickle.dumps(drawn)) == drawn
    assert drawn.dot.startswith("digraph")
    assert [name for name, _ in drawn.places] == ["value_0", "value_1", "value_2"]
    assert drawn.svg is None


def test_why_there_is_none() -> None:
    assert (
        draw("varyings", GraphSubject((TEXT,)), wants_svg=False).why_not
        == "the shader is linked with no other stage"
    )


def test_with_a_layout_there_is_dot_too() -> None:
    assert draw("cfg", GraphSubject((TEXT,)), wants_svg=True).dot
