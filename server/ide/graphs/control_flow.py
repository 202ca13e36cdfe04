"""The blocks of a function and where each leads."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind, NodePlace, cut, place_of, texts_of
from nirls.server.ide.graphs.instr_text import instr_text

MOST_LINES = 12
"""Instructions that the label of a block shows."""

MOST_BLOCKS = 600


def control_flow_graph(shader: Shader, impl: FunctionImpl) -> Graph:
    """The control flow graph, each block with its first instructions."""
    blocks = [*impl.blocks(), impl.end_block]
    graph = Graph(f"control flow of {impl.function.name}", left_out=max(0, len(blocks) - MOST_BLOCKS))
    drawn = blocks[:MOST_BLOCKS]
    names = block_names(drawn)
    places = {block: place for place, block in enumerate(blocks)}
    conditions = _conditions(impl)
    for block in drawn:
        lines = [instr_text(shader, instr) for instr in block]
        label = (f"b{block.index}", *texts_of(lines, MOST_LINES))
        kind = NodeKind.END if block is impl.end_block else NodeKind.BLOCK
        graph.nodes.append(Node(names[block], label, kind, block_place(block)))
        for position, target in enumerate(block.successors):
            if target in names:
                word = conditions.get(block, ("", ""))[position] if len(block.successors) == 2 else ""
                is_back = places[target] <= places[block]
                graph.edges.append(Edge(names[block], names[target], word, is_back))
    return graph


def block_names(blocks: list[Block]) -> dict[Block, str]:
    """Names of nodes for blocks; numbers may repeat in a broken dump, so they count the places."""
    return {block: f"block_{place}" for place, block in enumerate(blocks)}


def block_place(block: Block) -> NodePlace | None:
    """The text of a block, from its line to its last instruction."""
    if block.span is None:
        return None
    last = block.last.span if block.last is not None else None
    end = block.span.end if last is None else last.end
    return place_of(Span(block.span.start, end, block.span.line))


def _conditions(impl: FunctionImpl) -> dict[Block, tuple[str, str]]:
    """For each block in front of an if, the words at its two edges."""
    found: dict[Block, tuple[str, str]] = {}
    before: Block | None = None
    for node in impl.cf_nodes():
        if isinstance(node, If) and before is not None:
            value = node.condition.def_
            word = "" if value is None else f"%{value.index}"
            found[before] = (cut(word), cut(f"!{word}" if word else ""))
        before = node if isinstance(node, Block) else None
    return found
