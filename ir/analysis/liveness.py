"""Liveness of SSA values, and the register pressure that follows from it (Mesa: nir_liveness.c).

A source of a phi is read at the end of its predecessor; the value of a phi is written at
the start of its block. The condition of an if is read at the end of the block before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import PhiInstr
from nirls.ir.model.values import Def


class Liveness:
    """Live values at the start and end of each block of a function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self._conditions = dict(_conditions(impl))
        self._live_in: dict[Block, frozenset[Def]] = {}
        blocks = impl.blocks()
        for block in blocks:
            self._live_in[block] = frozenset()
        # In reverse order over a structured body, this converges in loop depth + 1 walks.
        work = dict.fromkeys(reversed(blocks))
        while work:
            block = next(iter(work))
            del work[block]
            live = self._walk(block)
            if live != self._live_in[block]:
                self._live_in[block] = live
                work.update(dict.fromkeys(pred for pred in block.predecessors if pred in self._live_in))

    def live_in(self, block: Block) -> frozenset[Def]:
        """Return the values live at the start of a block, without those of its phis."""
        return self._live_in.get(block, frozenset())

    def live_out(self, block: Block) -> set[Def]:
        """Return the values live at the end of a block: those its successors need, and an if condition."""
        live: set[Def] = set()
        for successor in block.successors:
            live |= self._live_in.get(successor, frozenset())
            for phi in successor.phis():
                src = phi.src_for(block)
                if src is not None and src.def_ is not None:
                    live.add(src.def_)
        condition = self._conditions.get(block)
        if condition is not None:
            live.add(condition)
        return live

    def sizes(self, block: Block) -> Iterator[int]:
        """Yield the number of 32-bit registers live after each instruction of a block, from last to first."""
        live = self.live_out(block)
        size = sum(map(register_count, live))
        yield size
        for instr in reversed(block):
            for value in instr.defs():
                if value in live:
                    live.discard(value)
                    size -= register_count(value)
            if isinstance(instr, PhiInstr):
                continue
            for src in instr.all_srcs():
                if src.def_ is not None and src.def_ not in live:
                    live.add(src.def_)
                    size += register_count(src.def_)
            yield size

    def _walk(self, block: Block) -> frozenset[Def]:
        live = self.live_out(block)
        for instr in reversed(block):
            live.difference_update(instr.defs())
            if not isinstance(instr, PhiInstr):
                live.update(src.def_ for src in instr.all_srcs() if src.def_ is not None)
        return frozenset(live)


def register_count(value: Def) -> int:
    """Return the 32-bit registers of a value: one for each 32 bits or boolean of a component."""
    return value.num_components * max(1, (value.bit_size + 31) // 32)


def register_pressure(impl: FunctionImpl) -> int:
    """Return the maximum number of 32-bit registers live at once."""
    liveness = Liveness(impl)
    return max((size for block in impl.blocks() for size in liveness.sizes(block)), default=0)


def _conditions(impl: FunctionImpl) -> Iterator[tuple[Block, Def]]:
    """Yield the block before each if, with the condition."""
    for _, body in impl.node_lists():
        for before, node in pairwise(body):
            if isinstance(node, If) and isinstance(before, Block) and node.condition.def_ is not None:
                yield before, node.condition.def_
