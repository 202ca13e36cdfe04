"""The control flow graph of a function, its dominator tree and its post-dominator tree."""

from __future__ import annotations

from nirls.ir.analysis.dominance import dominance, post_dominance
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.server.ide.graphs.graph import (
    Edge,
    Graph,
    Node,
    NodeKind,
    NodePlace,
    cut,
    instr_text,
    place_of,
    texts_of,
)

MOST_LINES = 12
"""Largest number of instruction lines in the label of a block."""

MOST_LINES_OF_WHOLE_BLOCKS = 500
"""The same for a graph of whole blocks."""

MOST_BLOCKS = 600


def control_flow_graph(shader: Shader, impl: FunctionImpl, most_lines: int = MOST_LINES) -> Graph:
    """Build the control flow graph; each block is labelled with its first `most_lines` instructions."""
    blocks = [*impl.blocks(), impl.end_block]
    graph = Graph(f"control flow of {impl.function.name}", left_out=max(0, len(blocks) - MOST_BLOCKS))
    drawn = blocks[:MOST_BLOCKS]
    names = block_names(drawn)
    places = {block: place for place, block in enumerate(blocks)}
    conditions = _conditions(impl)
    for block in drawn:
        lines = [instr_text(shader, instr) for instr in block]
        label = (f"b{block.index}", *texts_of(lines, most_lines))
        graph.cut_blocks += len(lines) > most_lines
        kind = NodeKind.END if block is impl.end_block else NodeKind.BLOCK
        graph.nodes.append(Node(names[block], label, kind, block_place(block)))
        for position, target in enumerate(block.successors):
            if target in names:
                word = conditions.get(block, ("", ""))[position] if len(block.successors) == 2 else ""
                is_back = places[target] <= places[block]
                graph.edges.append(Edge(names[block], names[target], word, is_back))
    return graph


def block_names(blocks: list[Block]) -> dict[Block, str]:
    """Return node names for blocks, by position: block numbers may repeat in a damaged dump."""
    return {block: f"block_{place}" for place, block in enumerate(blocks)}


def block_place(block: Block) -> NodePlace | None:
    """Return the text range of a block, from its label to its last instruction."""
    if block.span is None:
        return None
    last = block.last.span if block.last is not None else None
    end = block.span.end if last is None else last.end
    return place_of(Span(block.span.start, end, block.span.line))


def _conditions(impl: FunctionImpl) -> dict[Block, tuple[str, str]]:
    """Return the labels of the two edges of each block before an if."""
    found: dict[Block, tuple[str, str]] = {}
    before: Block | None = None
    for node in impl.cf_nodes():
        if isinstance(node, If) and before is not None:
            value = node.condition.def_
            word = "" if value is None else f"%{value.index}"
            found[before] = (cut(word), cut(f"!{word}" if word else ""))
        before = node if isinstance(node, Block) else None
    return found


def dominator_tree(impl: FunctionImpl, *, post: bool = False) -> Graph:
    """Build the tree, with an edge from each immediate (post-)dominator to the blocks it dominates.

    Unreachable blocks (for post-dominance: blocks that do not reach the end) have no edges.
    """
    tree = post_dominance(impl) if post else dominance(impl)
    blocks = [*impl.blocks(), impl.end_block]
    title = f"{'post-dominator' if post else 'dominator'} tree of {impl.function.name}"
    graph = Graph(title, left_out=max(0, len(blocks) - MOST_BLOCKS))
    names = block_names(blocks[:MOST_BLOCKS])
    for block, name in names.items():
        reached = tree.is_reachable(block)
        kind = NodeKind.END if block is impl.end_block else NodeKind.BLOCK
        label = (f"b{block.index}",) if reached else (f"b{block.index}", "never reached")
        graph.nodes.append(Node(name, label, kind if reached else NodeKind.UNMATCHED, block_place(block)))
        above = tree.idom(block)
        if above is not None and above in names:
            graph.edges.append(Edge(names[above], name))
    return graph
