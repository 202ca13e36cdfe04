"""Edits of structured control flow: replacing ifs and loops by their bodies, merging blocks.

NIR's invariants hold afterwards: each list starts and ends with a block, and blocks alternate with ifs
and loops. Remaining blocks keep their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr, PhiInstr, UndefInstr
from nirls.ir.model.values import Def, PhiSrc, Src

Replacement = Sequence[CfNode]
Decide = Callable[[If | Loop, Block, Block], "Replacement | None"]
"""Choose the replacement of a node, given the blocks before and after it; see `replace_nodes`."""


def replace_nodes(impl: FunctionImpl, decide: Decide, *, drop_after_jumps: bool = False) -> bool:
    """Replace ifs and loops of a body; returns whether anything was replaced or dropped.

    `decide` is called for each if and loop, from the inside out, with the blocks before and after it. It
    returns None to keep the node, or the replacement: one of the node's own bodies, or () for
    nothing. It may change instructions, and must rewrite the phis of the block after the node if it
    returns (); if a body is kept, they become copies of that body's phi sources.

    Neighbouring blocks are merged and keep the number of the first. Phis lose the sources from edges that
    are gone, and the uses of removed values become undefined. Edges are relinked. Code
    after a jump from a replacement is dropped; with `drop_after_jumps`, after every jump.
    Takes O(n log n) for n instructions.
    """
    surgery = _Surgery(impl, drop_after_jumps)
    surgery.run(decide)
    if not surgery.progress:
        return False
    surgery.finish()
    return True


def body_is_empty(body: Sequence[CfNode]) -> bool:
    """Return whether a list of control flow is empty or a single block without instructions."""
    return not body or (len(body) == 1 and isinstance(body[0], Block) and body[0].is_empty)


def last_block(body: Sequence[CfNode]) -> Block | None:
    """Return the block that ends a list of control flow, None for a broken list."""
    return body[-1] if body and isinstance(body[-1], Block) else None


def phi_source_from(phi: PhiInstr, body: Sequence[CfNode]) -> PhiSrc | None:
    """Return the source of a phi for the end of a branch, or None."""
    block = last_block(body)
    return None if block is None else phi.src_for(block)


def remove_instrs(instrs: Iterable[Instr]) -> list[Def]:
    """Remove instructions that may read each other; return their defs that other instructions still read."""
    removed = list(instrs)
    for instr in removed:
        instr.remove()
    return [value for instr in removed for value in instr.defs() if value.uses]


def undefine(impl: FunctionImpl, values: Iterable[Def]) -> None:
    """Replace all uses of removed values by an undefined value at the start of the function."""
    block = impl.start_block
    for value in values:
        undef = UndefInstr()
        twin = undef.make_def(value.index, value.num_components, value.bit_size, value.divergent)
        block.prepend(undef)
        value.replace_all_uses_with(twin)


class _Surgery:
    """State of one call of `replace_nodes`."""

    def __init__(self, impl: FunctionImpl, drop_after_jumps: bool) -> None:
        self.impl = impl
        self.drop_after_jumps = drop_after_jumps
        self.merged: dict[Block, Block] = {}
        self.dropped: list[CfNode] = []
        self.lost: list[Def] = []
        self.ended: set[CfNode] = set()
        self.emptied: set[Block] = set()
        self.progress = False

    def run(self, decide: Decide) -> None:
        for parent, nodes in reversed(list(self.impl.node_lists())):
            result = self._rebuild(nodes, parent, decide)
            if result is not None:
                self.progress = True
                nodes[:] = result

    def _rebuild(self, nodes: list[CfNode], parent: CfParent, decide: Decide) -> list[CfNode] | None:
        """Return the new content of a list, None to keep it."""
        result: list[CfNode] = []
        changed = False
        for position, node in enumerate(nodes):
            before = result[-1] if result else None
            if isinstance(before, Block) and before.jump is not None and (changed or self.drop_after_jumps):
                self.dropped.append(node)
                changed = True
                continue
            if before in self.ended and isinstance(node, Block):
                changed |= self._append_unreachable(result, node)
                continue
            if len(result) > 1 and result[-2] in self.ended:
                self.dropped.append(node)
                if isinstance(node, Block) and isinstance(before, Block):
                    # The end of the list is unreachable, but phis have a source for it.
                    self._stand_for(before, node)
                changed = True
                continue
            if isinstance(node, Block):
                self._append_block(result, node, changed)
                continue
            after = nodes[position + 1] if position + 1 < len(nodes) else None
            replacement: Replacement | None = None
            if isinstance(before, Block) and isinstance(after, Block):
                self._update_preds(after)
                replacement = decide(node, before, after)
            if replacement is None:
                result.append(node)
                if self.drop_after_jumps and isinstance(node, If) and all(map(self._ends, node.bodies())):
                    self.ended.add(node)
                continue
            changed = True
            self._put_in_place(node, replacement, result, parent)
        return result if changed else None

    def _ends(self, body: Sequence[CfNode]) -> bool:
        """Return whether the end of a list is unreachable because of a jump at or before it."""
        last = last_block(body)
        return (last is not None and last.jump is not None) or (len(body) > 1 and body[-2] in self.ended)

    def _append_unreachable(self, result: list[CfNode], block: Block) -> bool:
        """Append an empty block in place of an unreachable one; return whether that had instructions."""
        if block.is_empty:
            result.append(block)
            return False
        empty = Block(block.index)
        _take_identity(empty, block)
        empty.end_span, empty.stated_succs = block.end_span, block.stated_succs
        self.dropped.append(block)
        self._stand_for(empty, block)
        result.append(empty)
        return True

    def _stand_for(self, empty: Block, dropped: Block) -> None:
        """Transfer the edges of a dropped block to the unreachable empty block before it.

        The edge of a jump becomes the edge to the following node, as for any block without a jump.
        """
        self.merged[dropped] = empty
        self.emptied.add(empty)

    def _put_in_place(
        self, node: If | Loop, replacement: Replacement, result: list[CfNode], parent: CfParent
    ) -> None:
        kept = list(replacement)
        for body in node.bodies():
            if body is replacement:
                # The dropped node must not contain the kept body.
                body.clear()
        self.dropped.append(node)
        for inner in kept:
            inner.parent = parent
            if isinstance(inner, Block):
                self._append_block(result, inner, True)
            else:
                result.append(inner)

    def _append_block(self, result: list[CfNode], block: Block, changed: bool) -> None:
        before = result[-1] if result else None
        if not changed or not isinstance(before, Block):
            result.append(block)
            return
        self._resolve_phis(before, block)
        result[-1] = self._merge(before, block)

    def _resolve_phis(self, before: Block, block: Block) -> None:
        """Replace phis by their values from the only predecessor."""
        for phi in block.phis():
            arriving = [src for src in phi.sources if self._survivor(src.pred) is before]
            values = {src.def_ for src in arriving or phi.sources}
            value = values.pop() if len(values) == 1 else None
            if value is not None and value is not phi.def_ and phi.def_ is not None:
                phi.def_.replace_all_uses_with(value)
            elif phi.def_ is not None:
                # No source, only the phi itself, or a broken dump.
                self.lost.append(phi.def_)
            phi.remove()

    def _merge(self, first: Block, second: Block) -> Block:
        """Merge two blocks, moving the instructions of the shorter one."""
        if _is_shorter(first, second):
            for instr in reversed(first):
                first.unlink(instr)
                second.prepend(instr)
            _take_identity(second, first)
            self.merged[first] = second
            return second
        for instr in second:
            second.unlink(instr)
            first.append(instr)
        first.end_span, first.stated_succs = second.end_span, second.stated_succs
        self.merged[second] = first
        return first

    def finish(self) -> None:
        impl = self.impl
        gone = remove_instrs(self._dropped_instrs())
        impl.link_blocks()
        # An emptied block has lost its jump, such as the edge of a `continue` to the start of the loop.
        dropped = {*self.dropped, *self.emptied}
        unnamed: list[tuple[PhiInstr, Block]] = []
        for block in (*impl.blocks(), impl.end_block):
            restate_edges(block)
            if isinstance(block.first, PhiInstr):
                self._update_preds(block)
                _drop_dead_edges(block, dropped)
                unnamed += [(phi, pred) for phi in block.phis() for pred in self._unnamed_edges(phi, block)]
        self._name_edges(unnamed)
        undefine(impl, [value for value in (*gone, *self.lost) if value.uses])

    def _unnamed_edges(self, phi: PhiInstr, block: Block) -> list[Block]:
        """Return the emptied blocks that are new predecessors of a block."""
        return [pred for pred in block.predecessors if pred in self.emptied and phi.src_for(pred) is None]

    def _name_edges(self, unnamed: list[tuple[PhiInstr, Block]]) -> None:
        """Add undefined phi sources for unreachable predecessors."""
        if not unnamed:
            return
        for number, (phi, pred) in enumerate(unnamed, self.impl.next_index()):
            if phi.def_ is not None:
                source, undef = PhiSrc(pred), UndefInstr()
                source.set_def(undef.make_def(number, phi.def_.num_components, phi.def_.bit_size))
                self.impl.start_block.prepend(undef)
                phi.add_source(source)

    def _dropped_instrs(self) -> Iterator[Instr]:
        """Yield the instructions of dropped control flow, and clear its conditions."""
        work = list(self.dropped)
        while work:
            node = work.pop()
            if isinstance(node, Block):
                self.dropped.append(node)
                yield from node
                continue
            if isinstance(node, If):
                node.condition.clear()
            for body in node.bodies():
                work += body

    def _update_preds(self, block: Block) -> None:
        for phi in block.phis():
            for src in phi.sources:
                src.pred = self._survivor(src.pred)

    def _survivor(self, block: Block) -> Block:
        path = []
        while block in self.merged:
            path.append(block)
            block = self.merged[block]
        for passed in path:
            self.merged[passed] = block
        return block


def _drop_dead_edges(block: Block, dropped: set[CfNode]) -> None:
    """Remove phi sources whose edge was removed; invalid ones of broken dumps are kept."""
    preds = set(block.predecessors)
    for phi in block.phis():
        dead = [
            src
            for src in phi.sources
            if src.pred not in preds and (src.pred in dropped or src.pred.jump is not None)
        ]
        if dead:
            phi.sources = [src for src in phi.sources if src not in dead]
            for src in dead:
                src.clear()


def restate_edges(block: Block) -> None:
    """Update the printed edges of a block, if the dump has them."""
    if block.stated_preds is not None:
        block.stated_preds = tuple(pred.index for pred in block.predecessors)
    if block.stated_succs is not None:
        block.stated_succs = tuple(succ.index for succ in block.successors)


def relink_blocks(impl: FunctionImpl) -> None:
    """Link the blocks of a changed body, and update the printed edges."""
    impl.link_blocks()
    for block in (*impl.blocks(), impl.end_block):
        restate_edges(block)


def _is_shorter(first: Block, second: Block) -> bool:
    instr, other = first.first, second.first
    while instr is not None and other is not None:
        instr, other = instr.next, other.next
    return instr is None and other is not None


def _take_identity(block: Block, other: Block) -> None:
    """Transfer number, line and printed edges of `other` to a block."""
    block.index = other.index
    block.parent = other.parent
    block.span, block.divergent = other.span, other.divergent
    block.stated_preds = other.stated_preds


class BlockSplitter:
    """Splitting of blocks of one function; new blocks get unused numbers.

    The function's edges must be linked before (`FunctionImpl.link_blocks`); afterwards they must be
    relinked.
    """

    __slots__ = ("next_block",)

    def __init__(self, impl: FunctionImpl) -> None:
        self.next_block = 1 + max(block.index for block in (*impl.blocks(), impl.end_block))

    def insert_if(self, at: Instr, condition: Def) -> tuple[If, Block]:
        """Insert an if with two empty branches before an instruction.

        Returns the if and the block after it, which begins with the instruction. Earlier instructions stay in
        their block, which keeps its number; phi sources from that block become sources from the new one.
        Raises ValueError if the instruction is not in a block, or is a phi.
        """
        block = at.block
        if block is None or block.parent is None or at.kind == "phi":
            raise ValueError("an if can stand only in front of an instruction of a block that is no phi")
        rest = self._split(block, at)
        node = self._if_of(condition, block.parent)
        siblings = _list_of(block)
        position = siblings.index(block)
        siblings[position + 1 : position + 1] = [node, rest]
        return node, rest

    def nest_if(self, block: Block, condition: Def) -> tuple[If, Block]:
        """Append an if with two empty branches to a list of nodes; return it and the new last block."""
        if block.parent is None:
            raise ValueError("the block is in no function")
        node, rest = self._if_of(condition, block.parent), self._empty(block.parent)
        _list_of(block).extend((node, rest))
        return node, rest

    def _split(self, block: Block, at: Instr) -> Block:
        rest = self._empty(block.parent)
        instr: Instr | None = at
        while instr is not None:
            following = instr.next
            block.unlink(instr)
            rest.append(instr)
            instr = following
        rest.end_span, block.end_span = block.end_span, None
        rest.successors, block.successors = block.successors, ()
        for successor in rest.successors:
            for phi in successor.phis():
                for src in phi.sources:
                    if src.pred is block:
                        src.pred = rest
        return rest

    def _if_of(self, condition: Def, parent: CfParent) -> If:
        node = If(Src(condition))
        node.parent = parent
        node.then_body.append(self._empty(node))
        node.else_body.append(self._empty(node))
        return node

    def _empty(self, parent: CfParent | None) -> Block:
        block = Block(self.next_block)
        self.next_block += 1
        block.parent = parent
        return block


def _list_of(block: Block) -> list[CfNode]:
    assert block.parent is not None
    return next(body for body in block.parent.bodies() if block in body)
