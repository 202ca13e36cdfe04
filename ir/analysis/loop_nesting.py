"""Loop nesting of blocks, and loop invariance of values."""

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
    """The loops of a function body, with nesting and range of blocks. A snapshot.

    Blocks are numbered in printed order, so that a loop is a range of numbers.
    """

    __slots__ = ("_invariant", "_last", "_own_blocks", "_start", "follows", "loop_of", "outer", "position")

    def __init__(self, impl: FunctionImpl) -> None:
        self.position: dict[Block, int] = {}
        """Number of each block in printed order."""
        self.loop_of: dict[Block, Loop | None] = {}
        """Innermost loop of each block."""
        self.outer: dict[Loop, Loop | None] = {}
        """Parent loop of each loop."""
        self.follows: dict[Block, If | Loop] = {}
        """If or loop directly before a block, whose paths join in it."""
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
        """Return whether a block is inside a loop, at any depth."""
        return self._start[loop] <= self.position.get(block, -1) <= self._last[loop]

    def loops_left(self, value_block: Block, use_block: Block) -> list[Loop]:
        """Return the loops that contain the definition but not the use, innermost first."""
        left = []
        loop = self.loop_of.get(value_block)
        while loop is not None and not self.contains(loop, use_block):
            left.append(loop)
            loop = self.outer[loop]
        return left

    def is_invariant(self, value: Def, loop: Loop) -> bool:
        """Return whether a value is the same in every iteration of a loop in which it is used.

        True for values defined before the loop, and for values that the loop itself (not a nested one)
        computes only from such values. Mesa: `src_invariant` of nir_divergence_analysis.c.
        """
        block = None if value.instr is None else value.instr.block
        if block is None or self.position[block] < self._start[loop]:
            return True
        if loop not in self._invariant:
            self._find_invariant(loop)
        return value in self._invariant[loop]

    def _find_invariant(self, loop: Loop) -> None:
        values: set[Def] = set()
        self._invariant[loop] = values
        header = next((node for node in loop.body if isinstance(node, Block)), None)
        # A loop without a back edge runs once, so everything but its phis is invariant.
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
                    values.update(instr.defs())

    def _are_fixed(self, srcs: Sequence[Src], loop: Loop) -> bool:
        return all(src.def_ is not None and self.is_invariant(src.def_, loop) for src in srcs)


def _may_be_fixed(instr: Instr) -> bool:
    """Return whether an instruction is a function of its sources."""
    if isinstance(instr, IntrinsicInstr):
        return can_reorder(instr)
    return not isinstance(instr, CallInstr | ParallelCopyInstr)
