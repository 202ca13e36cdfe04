from __future__ import annotations

import re

import pytest

from nirls.server.ide.graphs.dot import quoted, to_dot
from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind

HOSTILE = [
    '"]; evil [label="x',
    "\\",
    '\\"',
    "ends in \\",
    "</script><img src=x onerror=alert(1)>",
    "<b>bold</b>",
    "&lt;script&gt;",
    "a\nb\r\x00\x1b[31m",
    "\\l\\N\\G",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_text_ends_its_string(text: str) -> None:
    found = quoted(text)
    assert re.fullmatch(r'"(?:[^"\\\x00-\x1f]|\\["\\n])*"', found)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_graph_of_hostile_names_keeps_its_shape(text: str) -> None:
    graph = Graph(
        text, [Node("a", (text, text), NodeKind.INSTR, None, text), Node("b", (text,), NodeKind.BLOCK)]
    )
    graph.edges.append(Edge("a", "b", text))
    dot = re.sub(r'"(?:[^"\\]|\\.)*"', '""', to_dot(graph))
    assert "evil" not in dot
    assert dot.count("{") == dot.count("}") == 2
    assert dot.count("->") == 1


@pytest.mark.parametrize("name", ["", "a b", "a;b", '"', "1a", "graph]"])
def test_names_of_nodes_are_plain(name: str) -> None:
    with pytest.raises(ValueError, match="name of a node"):
        to_dot(Graph("", [Node(name, (), NodeKind.BLOCK)]))


def test_what_is_left_out_is_said() -> None:
    assert '"3 more nodes are not drawn"' in to_dot(Graph("", left_out=3))
