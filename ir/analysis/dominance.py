"""Dominance of blocks, and of the nodes of any graph.

The conventions for unreachable blocks are those of Mesa's nir_dominance.c: such a block has
no immediate dominator, and counts as dominated by every block, because the claim "every path to it goes
through b" has no counterexample.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr, PhiInstr
from nirls.ir.model.values import Def, PhiSrc, Src

UNREACHABLE = -1
_NEVER = sys.maxsize


def dominators_of_graph(successors: Sequence[Sequence[int]], entry: int) -> list[int]:
    """Compute the immediate dominator of each node of any directed graph.

    Nodes are numbered from 0; `successors[n]` lists where the edges of n lead (repetitions allowed).
    The entry is its own immediate dominator; an unreachable node gets UNREACHABLE.

    Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS 1979, in the
    variant with simple linking: O(edges * log nodes) for any graph, without recursion.
    """
    count = len(successors)
    # From here on nodes are identified by depth-first number, so "earlier" is "smaller".
    node_of, parent, preds = _depth_first(successors, entry)
    reached = len(node_of)
    semi = list(range(reached))
    label = list(range(reached))
    ancestor = [UNREACHABLE] * reached
    idom = [0] * reached
    buckets: list[list[int]] = [[] for _ in range(reached)]

    for number in range(reached - 1, 0, -1):
        for pred in preds[number]:
            best = semi[_evaluate(pred, ancestor, label, semi)]
            if best < semi[number]:
                semi[number] = best
        buckets[semi[number]].append(number)
        above = parent[number]
        ancestor[number] = above
        for waiting in buckets[above]:
            best = _evaluate(waiting, ancestor, label, semi)
            idom[waiting] = best if semi[best] < above else above
        buckets[above].clear()
    for number in range(1, reached):
        if idom[number] != semi[number]:
            idom[number] = idom[idom[number]]

    result = [UNREACHABLE] * count
    for number in range(reached):
        result[node_of[number]] = node_of[idom[number]]
    return result


def _depth_first(
    successors: Sequence[Sequence[int]], entry: int
) -> tuple[list[int], list[int], list[list[int]]]:
    """Number the reachable nodes: node of each number, parent number in the tree, numbers of the preds."""
    number_of = [UNREACHABLE] * len(successors)
    number_of[entry] = 0
    node_of = [entry]
    parent = [0]
    stack = [iter(successors[entry])]
    path = [0]
    while stack:
        target = next(stack[-1], None)
        if target is None:
            stack.pop()
            path.pop()
        elif number_of[target] == UNREACHABLE:
            number_of[target] = len(node_of)
            parent.append(path[-1])
            path.append(len(node_of))
            node_of.append(target)
            stack.append(iter(successors[target]))
    preds: list[list[int]] = [[] for _ in node_of]
    for number, node in enumerate(node_of):
        for target in successors[node]:
            preds[number_of[target]].append(number)
    return node_of, parent, preds


def _evaluate(number: int, ancestor: list[int], label: list[int], semi: list[int]) -> int:
    """Find the node with the smallest semidominator on the linked path above `number`; compress the path."""
    if ancestor[number] == UNREACHABLE:
        return number
    path = []
    while ancestor[ancestor[number]] != UNREACHABLE:
        path.append(number)
        number = ancestor[number]
    top = ancestor[number]
    best = label[number]
    while path:
        number = path.pop()
        if semi[best] < semi[label[number]]:
            label[number] = best
        best = label[number]
        ancestor[number] = top
    return best


class DominatorTree:
    """The (post-)dominator tree of a function body, a snapshot of its control flow.

    For a post-dominator tree read "every path to the end block" for "every path from the start block".
    Blocks that were not in the function when the tree was built, such as those that only appear in the
    sources of broken phis, count as unreachable.
    """

    __slots__ = ("_children", "_entering", "_frontiers", "_idom", "_post", "_pre", "_preds", "root")

    def __init__(self, blocks: Sequence[Block], root: Block, *, reverse: bool = False) -> None:
        """Build a tree over `blocks`, which contain `root` and all linked blocks; `reverse` inverts edges."""
        self.root = root
        number = {block: position for position, block in enumerate(blocks)}
        leaving = [
            [number[target] for target in (block.predecessors if reverse else block.successors)]
            for block in blocks
        ]
        idom = dominators_of_graph(leaving, number[root])
        self._preds: dict[Block, Sequence[Block]] = {
            block: block.successors if reverse else tuple(block.predecessors) for block in blocks
        }
        self._idom: dict[Block, Block | None] = {}
        self._children: dict[Block, list[Block]] = {block: [] for block in blocks}
        for block, above in zip(blocks, idom, strict=True):
            has_idom = above != UNREACHABLE and block is not root
            self._idom[block] = blocks[above] if has_idom else None
            if has_idom:
                self._children[blocks[above]].append(block)
        self._frontiers: dict[Block, tuple[Block, ...]] | None = None
        # An unreachable block has no numbers, which stands for an interval within every other.
        self._pre: dict[Block, int] = {}
        self._post: dict[Block, int] = {}
        self._entering: list[Block] = []
        self._number_tree()

    def _number_tree(self) -> None:
        clock = 0
        self._pre[self.root] = clock
        self._entering.append(self.root)
        path = [(self.root, iter(self._children[self.root]))]
        while path:
            block, rest = path[-1]
            clock += 1
            child = next(rest, None)
            if child is None:
                self._post[block] = clock
                path.pop()
                continue
            self._pre[child] = clock
            self._entering.append(child)
            path.append((child, iter(self._children[child])))

    def idom(self, block: Block) -> Block | None:
        """Return the immediate dominator; None for the root and for unreachable blocks."""
        return self._idom.get(block)

    def children(self, block: Block) -> Sequence[Block]:
        """Return the blocks immediately dominated by `block`, in printed order."""
        return self._children.get(block, ())

    def is_reachable(self, block: Block) -> bool:
        """Return whether a path leads from the root to `block` (post-dominance: from `block` to the end)."""
        return block in self._post

    def dominates(self, above: Block, below: Block) -> bool:
        """Return whether every path to `below` contains `above`; a block dominates itself. Constant time."""
        if self._pre.get(above, _NEVER) > self._pre.get(below, _NEVER):
            return False
        return self._post.get(below, -1) <= self._post.get(above, -1)

    def frontier(self, block: Block) -> tuple[Block, ...]:
        """Return the dominance frontier: blocks not strictly dominated by `block` with a dominated pred.

        Edges out of unreachable blocks are ignored. All frontiers are computed on first use.
        """
        if self._frontiers is None:
            self._frontiers = self._make_frontiers()
        return self._frontiers.get(block, ())

    def _make_frontiers(self) -> dict[Block, tuple[Block, ...]]:
        found: dict[Block, dict[Block, None]] = {block: {} for block in self._idom}
        for block, preds in self._preds.items():
            if not self.is_reachable(block):
                continue
            stop = self._idom[block]
            for pred in preds:
                runner: Block | None = pred if self.is_reachable(pred) else stop
                # If another pred was here before, the rest of the path is done.
                while runner is not None and runner is not stop and block not in found[runner]:
                    found[runner][block] = None
                    runner = self._idom[runner]
        return {block: tuple(frontier) for block, frontier in found.items()}

    def preorder(self) -> Iterator[Block]:
        """Yield the reachable blocks, each after its immediate dominator."""
        return iter(self._entering)


def dominance(impl: FunctionImpl) -> DominatorTree:
    """Compute the dominator tree of a function body with its end block (Mesa: `nir_calc_dominance_impl`).

    Reads `Block.successors`, so `FunctionImpl.link_blocks` must have run. Supports any control flow:
    irreducible gotos, loops without an exit, unreachable blocks. A body without a block has
    only the end block, which is then the root.
    """
    blocks = [*impl.blocks(), impl.end_block]
    return DominatorTree(blocks, blocks[0])


def post_dominance(impl: FunctionImpl) -> DominatorTree:
    """Compute the post-dominator tree of a function body, rooted at the end block.

    A block that cannot reach the end, in or before a loop without an exit, has no immediate
    post-dominator and counts as post-dominated by every block.
    """
    blocks = [*impl.blocks(), impl.end_block]
    return DominatorTree(blocks, impl.end_block, reverse=True)


class InstrOrder:
    """The position of every instruction of a body in printed order, and the block before every if and loop.

    A snapshot; instructions inserted later raise KeyError.
    """

    __slots__ = ("_block_before", "_position")

    def __init__(self, impl: FunctionImpl) -> None:
        self._position: dict[Instr, int] = {}
        self._block_before: dict[If | Loop, Block] = {}
        previous: CfNode | None = None
        for node in impl.cf_nodes():
            if isinstance(node, Block):
                for instr in node:
                    self._position[instr] = len(self._position)
            elif isinstance(previous, Block):
                self._block_before[node] = previous
            previous = node

    def position(self, instr: Instr) -> int:
        """Return the number of an instruction, counted from 0 over the whole body."""
        return self._position[instr]

    def comes_before(self, first: Instr, second: Instr) -> bool:
        """Return whether `first` is above `second` in the body, in the same block or not."""
        return self._position[first] < self._position[second]

    def block_before(self, node: If | Loop) -> Block | None:
        """Return the block directly before an if or loop; None in a broken body without one."""
        return self._block_before.get(node)

    def block_of_use(self, src: Src) -> Block | None:
        """Return the block that reads a src, at its end for phi sources and if conditions."""
        if isinstance(src, PhiSrc):
            return src.pred
        if isinstance(src.owner, If):
            return self.block_before(src.owner)
        return None if src.owner is None else src.owner.block

    def __contains__(self, instr: Instr) -> bool:
        return instr in self._position


def instr_order(impl: FunctionImpl) -> InstrOrder:
    """Number the instructions of a body, for queries within a block (Mesa: `nir_index_instrs`)."""
    return InstrOrder(impl)


def def_dominates_use(tree: DominatorTree, order: InstrOrder, value: Def, src: Src) -> bool:
    """Return whether a value is defined on every path to the point where a src reads it.

    A phi source is read at the end of its predecessor, an if condition at the end of the block before
    the if. False for a value without a definition, and for a src without an owner.
    """
    if value.instr is None or value.instr.block is None:
        return False
    block = order.block_of_use(src)
    if block is None:
        return False
    if block is not value.instr.block:
        return tree.dominates(value.instr.block, block)
    owner = src.owner
    if isinstance(owner, PhiInstr) or not isinstance(owner, Instr):
        return True
    return order.comes_before(value.instr, owner)
