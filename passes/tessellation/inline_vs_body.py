"""Putting the body of one shader in front of another's."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr


def put_in_front(guest: FunctionImpl, host: FunctionImpl) -> tuple[Block, Instr | None]:
    """Move all blocks of `guest` to the start of `host`, where they run first.

    The last block of the guest becomes the beginning of the host's first one; returns that block and the
    first instruction of the host in it, None where it has none. Values and blocks get numbers
    that are free in the host. Edges are linked anew. The guest is empty afterwards.
    """
    first = host.start_block
    following = first.first
    _renumber(guest, host)
    *before, last = guest.body
    assert isinstance(last, Block)
    for instr in reversed(last):
        last.unlink(instr)
        first.prepend(instr)
    for node in before:
        node.parent = host
    host.body[:0] = before
    guest.body = []
    host.link_blocks()
    return first, following


def _renumber(guest: FunctionImpl, host: FunctionImpl) -> None:
    """Fresh numbers, and nothing that ties the guest's lines to the text that they were read from."""
    number = host.next_index()
    for value in guest.defs():
        value.index, number = number, number + 1
        value.divergent = None
    block_number = 1 + max(block.index for block in (*host.blocks(), host.end_block))
    stated = host.start_block.stated_preds is not None, host.start_block.stated_succs is not None
    for node in guest.cf_nodes():
        node.span = node.end_span = node.divergent = None
        if isinstance(node, Block):
            node.index, block_number = block_number, block_number + 1
            node.stated_preds = () if stated[0] else None
            node.stated_succs = () if stated[1] else None
        else:
            node.comment = None
    for instr in guest.instrs():
        instr.span = None
        if not (isinstance(instr, IntrinsicInstr) and instr.name == "load_input"):
            instr.comment = None  # that of an attribute is its name, which nothing else says any more
