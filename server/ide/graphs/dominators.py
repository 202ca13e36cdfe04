"""The dominator tree of a function, and the post-dominator tree."""

from __future__ import annotations

from nirls.ir.analysis.dominance import dominance, post_dominance
from nirls.ir.model.control_flow import FunctionImpl
from nirls.server.ide.graphs.control_flow import MOST_BLOCKS, block_names, block_place
from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind


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
