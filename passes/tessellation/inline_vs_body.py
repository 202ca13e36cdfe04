"""Concatenation of two function bodies."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr


def put_in_front(guest: FunctionImpl, host: FunctionImpl) -> tuple[Block, Instr | None]:
    """Move all blocks of `guest` to the start of `host`.

    The last block of the guest is merged into the first block of the host; returns that block and the first
    original instruction in it, None if it was empty. Moved values and blocks are renumbered, and edges are
    relinked. The guest is empty afterwards.
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
    """Give the values and blocks of the guest unused numbers, and clear their source spans."""
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
            instr.comment = None  # the comment of load_input is kept: it is the only name of the attribute
