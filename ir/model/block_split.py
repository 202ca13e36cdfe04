"""Insertion of ifs in the middle of blocks (Mesa: nir_push_if at a cursor)."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.values import Def, Src


class BlockSplitter:
    """Splits blocks of one function, with fresh numbers for new ones.

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
