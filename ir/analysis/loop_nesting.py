"""Which loop holds which block, and which values a loop computes anew without changing them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from nirls.ir.effects import can_reorder
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    CallInstr,
    Instr,
    IntrinsicInstr,
    ParallelCopyInstr,
    PhiInstr,
)
from nirls.ir.model.values import Def, Src


class LoopNesting:
    """The loops of a function body: who holds whom, and where each begins and ends. A snapshot.

    Blocks are numbered in printed order, so that a loop is a range of numbers.
    """

    __slots__ = ("_invariant", "_last", "_own_blocks", "_start", "follows", "loop_of", "outer", "position")

    def __init__(self, impl: FunctionImpl) -> None:
        self.position: dict[Block, int] = {}
        """The number of each block in printed order."""
        self.loop_of: dict[Block, Loop | None] = {}
        """The innermost loop that holds each block."""
        self.outer: dict[Loop, Loop | None] = {}
        """The next loop around each loop."""
        self.follows: dict[Block, If | Loop] = {}
        """The if or loop directly ahead of a block, whose paths meet in it."""
        self._start: dict[Loop, int] = {}
        self._last: dict[Loop, int] = {}
        self._own_blocks: dict[Loop, list[Block]] = {}
        self._invariant: dict[Loop, set[Def]] = {}
        self._number(impl)

    def _number(self, impl: FunctionImpl) -> None:
        current: Loop | None = None
        # None marks the end of the loop that is being numbered.
        work: list[CfNode | None] = []
        self._push(impl.body, work)
        while work:
            node = work.pop()
            if node is None:
                assert current is not None
                self._last[current] = len(self.position) - 1
                current = self.outer[current]
            elif isinstance(node, Block):
                self.loop_of[node] = current
                self.position[node] = len(self.position)
                if current is not None:
                    self._own_blocks[current].append(node)
            else:
                if isinstance(node, Loop):
                    self.outer[node] = current
                    self._start[node] = len(self.position)
                    self._own_blocks[node] = []
                    current = node
                    work.append(None)
                for body in reversed(node.bodies()):
                    self._push(body, work)

    def _push(self, body: list[CfNode], work: list[CfNode | None]) -> None:
        for node, following in pairwise(body):
            if isinstance(following, Block) and not isinstance(node, Block):
                self.follows[following] = node
        work.extend(reversed(body))

    def contains(self, loop: Loop, block: Block) -> bool:
        """Whether a block is inside a loop, at any depth."""
        return self._start[loop] <= self.position.get(block, -1) <= self._last[loop]

    def loops_left(self, value_block: Block, use_block: Block) -> list[Loop]:
        """The loops around the definition that the use is outside of, innermost first."""
        left = []
        loop = self.loop_of.get(value_block)
        while loop is not None and not self.contains(loop, use_block):
            left.append(loop)
            loop = self.outer[loop]
        return left

    def is_invariant(self, value: Def, loop: Loop) -> bool:
        """Whether a value is the same in every turn of a loop in which it is used.

        True for what is defined ahead of the loop, and for what the loop itself (not one within it)
        computes from nothing but such values. Mesa: `src_invariant` of nir_divergence_analysis.c.
        """
        block = None if value.instr is None else value.instr.block
        if block is None or self.position[block] < self._start[loop]:
            return True
        if loop not in self._invariant:
            self._find_invariant(loop)
        return value in self._invariant[loop]

    def _find_invariant(self, loop: Loop) -> None:
        found: set[Def] = set()
        self._invariant[loop] = found
        header = next((node for node in loop.body if isinstance(node, Block)), None)
        # A loop that nothing jumps back to runs once, and nothing but its phis can change.
        runs_once = header is not None and len(header.predecessors) == 1
        for block in self._own_blocks[loop]:
            merged = self.follows.get(block)
            for instr in block:
                if isinstance(instr, PhiInstr):
                    is_fixed = isinstance(merged, If) and self._are_fixed([merged.condition], loop)
                else:
                    is_fixed = runs_once or _may_be_fixed(instr)
                if is_fixed and (
                    (runs_once and not isinstance(instr, PhiInstr)) or self._are_fixed(instr.srcs(), loop)
                ):
                    found.update(instr.defs())

    def _are_fixed(self, srcs: Sequence[Src], loop: Loop) -> bool:
        return all(src.def_ is not None and self.is_invariant(src.def_, loop) for src in srcs)


def _may_be_fixed(instr: Instr) -> bool:
    """Whether an instruction gives the same from the same sources."""
    if isinstance(instr, IntrinsicInstr):
        return can_reorder(instr)
    return not isinstance(instr, CallInstr | ParallelCopyInstr)
