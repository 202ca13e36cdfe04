"""Output of a graph in Graphviz DOT.

Text from dumps is only written in quoted strings, escaped, and never as HTML-like labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind

_FONT = "Courier"
"""The monospaced font whose widths every build of Graphviz knows; for others it takes those of Times."""

_BOX = 'shape=box style="filled,rounded"'
_LOOKS = {
    NodeKind.BLOCK: 'shape=box style=filled fillcolor="#f4f6fb"',
    NodeKind.END: 'shape=doublecircle style=filled fillcolor="#e4e4e4"',
    NodeKind.INSTR: f'{_BOX} fillcolor="#f4f6fb"',
    NodeKind.EFFECT: f'{_BOX} fillcolor="#fde7c8"',
    NodeKind.CONSTANT: f'{_BOX} fillcolor="#e9e9e9"',
    NodeKind.PHI: f'{_BOX} fillcolor="#e3dcf7"',
    NodeKind.FOCUS: f'{_BOX} fillcolor="#ffe98a" penwidth=2',
    NodeKind.OUTPUT: f'{_BOX} fillcolor="#d5efd5"',
    NodeKind.INPUT: f'{_BOX} fillcolor="#d3e6f7"',
    NodeKind.UNMATCHED: f'{_BOX} fillcolor="#f7d0d0"',
    NodeKind.REMARK: "shape=plaintext",
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
# Characters that XML does not allow, and bidirectional controls, which could disguise text.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def to_dot(graph: Graph) -> str:
    """Write a graph in DOT. A node's `id`, also in the SVG, is its name. Raises ValueError for a bad name."""
    lines = [
        "digraph nirls {",
        f"  graph [label={quoted(graph.title)} labelloc=t fontname={_FONT} fontsize=11"
        f" rankdir={'LR' if graph.left_to_right else 'TB'} bgcolor=white]",
        f"  node [fontname={_FONT} fontsize=9 margin=0.08]",
        f"  edge [fontname={_FONT} fontsize=8]",
    ]
    framed = sorted(
        (node for node in graph.nodes if node.group is not None), key=lambda node: node.group or ""
    )
    for number, (group, nodes) in enumerate(groupby(framed, key=lambda node: node.group or "")):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={quoted(group)} fontname={_FONT} fontsize=10 color=gray")
        lines += [f"    {line}" for line in _nodes(nodes)]
        lines.append("  }")
    lines += [f"  {line}" for line in _nodes(node for node in graph.nodes if node.group is None)]
    lines += [f"  {_edge(edge)}" for edge in graph.edges]
    if graph.left_out:
        lines.append(
            f"  left_out [label={quoted(f'{graph.left_out} more nodes are not drawn')} shape=plaintext]"
        )
    lines.append("}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    r"""Quote and escape a text; line feeds become `\n`."""
    lines = [_CONTROL.sub("\ufffd", line) for line in text.split("\n")]
    # Graphviz decodes entities such as `&lt;` in labels.
    safe = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    escaped = "\\n".join(safe)
    return f'"{escaped}"'


def _nodes(nodes: Iterable[Node]) -> Iterable[str]:
    for node in nodes:
        name = _checked(node.name)
        yield f'{name} [id="{name}" label={_label(node.label)} {_LOOKS[node.kind]}]'


def _label(lines: tuple[str, ...]) -> str:
    if len(lines) == 1:
        return quoted(lines[0])
    # `\l` ends a left-aligned line.
    return '"' + "".join(f"{quoted(line)[1:-1]}\\l" for line in lines) + '"'


def _edge(edge: Edge) -> str:
    attributes = []
    if edge.label:
        attributes.append(f"label={quoted(edge.label)}")
    if edge.is_back:
        attributes.append("style=dashed")
    text = f" [{' '.join(attributes)}]" if attributes else ""
    return f"{_checked(edge.source)} -> {_checked(edge.target)}{text}"


def _checked(name: str) -> str:
    if not _NAME.match(name):
        raise ValueError(f"{name!r} cannot be the name of a node")
    return name
