"""Surgery on structured control flow: ifs and loops replaced by what they hold, blocks merged.

NIR's invariants hold afterwards: each list starts and ends with a block, and blocks alternate with ifs
and loops. A block that stays keeps its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nirls.ir.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop
from nirls.ir.instructions import Instr, ParallelCopyInstr, PhiInstr, UndefInstr
from nirls.ir.values import Def, PhiSrc

Replacement = Sequence[CfNode]
Decide = Callable[[If | Loop], "Replacement | None"]


def replace_nodes(impl: FunctionImpl, decide: Decide) -> bool:
    """Replace ifs and loops of a body; returns whether anything was replaced.

    `decide` is asked once for each if and loop that stays, from the outside in. It returns None to keep
    the node, or the control flow to put in its place: one of the node's own bodies, or () for nothing.
    What a replacement holds is asked about in turn. Neighbouring blocks are merged into the first of them;
    phis lose the sources from edges that are gone, and the uses of values that are gone become undefined.
    Edges are linked anew. Linear in the size of the function.

    Phis behind a replaced node are the caller's business as far as their edges remain: a phi that keeps one
    source is a copy (`remove_copy_phis`).
    """
    surgery = _Surgery(impl)
    surgery.run(decide)
    if not surgery.replaced:
        return False
    surgery.finish()
    return True


def body_is_empty(body: Sequence[CfNode]) -> bool:
    """Whether a list of control flow is one block without instructions, or nothing at all."""
    return not body or (len(body) == 1 and isinstance(body[0], Block) and body[0].is_empty)


def remove_instrs(instrs: Iterable[Instr]) -> list[Def]:
    """Remove instructions that may read each other; returns the values of theirs that others still read."""
    removed = list(instrs)
    for instr in removed:
        instr.remove()
    return [value for instr in removed for value in _values_of(instr) if value.uses]


def undefine(impl: FunctionImpl, values: Iterable[Def]) -> None:
    """Make every use of values that are gone read an undefined value, made at the start of the function."""
    block = impl.start_block
    for value in values:
        undef = UndefInstr()
        twin = undef.make_def(value.index, value.num_components, value.bit_size, value.divergent)
        block.prepend(undef)
        value.replace_all_uses_with(twin)


class _Surgery:
    """One run of `replace_nodes`."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.merged: dict[Block, Block] = {}
        self.dropped: list[CfNode] = []
        self.replaced = False

    def run(self, decide: Decide) -> None:
        work: list[tuple[list[CfNode], CfParent]] = [(self.impl.body, self.impl)]
        while work:
            nodes, parent = work.pop()
            result = self._rebuild(nodes, parent, decide)
            nodes[:] = result
            for node in result:
                if not isinstance(node, Block):
                    work += [(body, node) for body in node.bodies()]

    def _rebuild(self, nodes: list[CfNode], parent: CfParent, decide: Decide) -> list[CfNode]:
        result: list[CfNode] = []
        stack: list[Iterator[CfNode]] = [iter(nodes)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            if isinstance(node, Block):
                node.parent = parent
                self._append_block(result, node)
                continue
            replacement = decide(node)
            if replacement is None:
                node.parent = parent
                result.append(node)
                continue
            self.replaced = True
            self.dropped.append(node)
            # A copy: the body is emptied below, so that what was dropped can be told from what was kept.
            stack.append(iter(list(replacement)))
            for body in node.bodies():
                if body is replacement:
                    body.clear()
        return result

    def _append_block(self, result: list[CfNode], block: Block) -> None:
        before = result[-1] if result else None
        if not isinstance(before, Block) or not self.replaced:
            result.append(block)
            return
        if before.jump is not None:
            # Nothing gets past the jump; what would follow it is dead.
            self.dropped.append(block)
            return
        self.merged[block] = before
        for instr in block:
            block.unlink(instr)
            before.append(instr)

    def finish(self) -> None:
        impl = self.impl
        for node in self.dropped:
            if isinstance(node, If):
                node.condition.clear()
        gone = remove_instrs(_instrs_within(self.dropped))
        impl.link_blocks()
        self._update_phis()
        if gone:
            undefine(impl, [value for value in gone if value.uses])

    def _update_phis(self) -> None:
        for block in self.impl.blocks():
            for phi in block.phis():
                for src in list(phi.sources):
                    src.pred = self._survivor(src.pred)
                    if src.pred not in block.predecessors:
                        phi.remove_source(src)

    def _survivor(self, block: Block) -> Block:
        path = []
        while block in self.merged:
            path.append(block)
            block = self.merged[block]
        for passed in path:
            self.merged[passed] = block
        return block


def _instrs_within(nodes: Iterable[CfNode]) -> Iterator[Instr]:
    """The instructions of control flow that is going away; takes its conditions off the use lists."""
    work = list(nodes)
    while work:
        node = work.pop()
        if isinstance(node, Block):
            yield from node
            continue
        if isinstance(node, If):
            node.condition.clear()
        for body in node.bodies():
            work += body


def _values_of(instr: Instr) -> list[Def]:
    if isinstance(instr, ParallelCopyInstr):
        return [dest for dest in instr.dests if isinstance(dest, Def)]
    return [] if instr.def_ is None else [instr.def_]


__all__ = [
    "Decide",
    "PhiInstr",
    "PhiSrc",
    "Replacement",
    "body_is_empty",
    "remove_instrs",
    "replace_nodes",
    "undefine",
]
