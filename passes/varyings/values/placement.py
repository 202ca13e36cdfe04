"""Where an expression of the consumer ends and can be computed: post-dominators, and producer blocks.

The value graph (Mesa: nir_use_dominance.c) has an edge from a value to each instruction that reads it. An
instruction that has an effect, decides a branch or is not read at all is an exit. An instruction
post-dominates a value if all paths from the value to an exit pass through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nirls.ir.analysis.dominance import UNREACHABLE, DominatorTree, dominators_of_graph, post_dominance
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.walks import makers, operands_first
from nirls.ir.tables import opcode


class PostDominators:
    """Immediate post-dominator of each instruction in the value graph, as a snapshot."""

    __slots__ = ("_above",)

    def __init__(self, impl: FunctionImpl) -> None:
        instrs = list(impl.instrs())
        number = {instr: position for position, instr in enumerate(instrs, 1)}
        # Edges run against the flow of values, from the root (0), which follows all exits.
        reads: list[list[int]] = [[] for _ in range(len(instrs) + 1)]
        for instr, position in number.items():
            reads[position] += [number[maker] for maker in makers(instr.all_srcs()) if maker in number]
            if self._is_exit(instr, number):
                reads[0].append(position)
        above = dominators_of_graph(reads, 0)
        self._above: dict[Instr, Instr | None] = {}
        for instr, position in number.items():
            parent = above[position]
            self._above[instr] = instrs[parent - 1] if parent not in (0, UNREACHABLE) else None

    @staticmethod
    def _is_exit(instr: Instr, number: dict[Instr, int]) -> bool:
        if instr.def_ is None or not instr.def_.uses:
            return True
        return any(not isinstance(src.owner, Instr) or src.owner not in number for src in instr.def_.uses)

    def immediate(self, instr: Instr) -> Instr | None:
        """Return the nearest instruction that everything computed from `instr` passes, or None."""
        return self._above.get(instr)


@dataclass(frozen=True, slots=True)
class _Reads:
    """The inputs of an expression.

    `block` stores all of them, None if there are none; `apart` is set if no single block does; `selects` is
    set if a selection is part of the expression, so that an unselected value may be undefined.
    """

    block: Block | None = None
    apart: bool = False
    selects: bool = False


class PlacementBlocks:
    """For each expression of the consumer, the block of the producer that stores all inputs it reads.

    The stores of a moved expression's inputs become one store, so they must be in one block. A selection may
    skip an input that was not written, but its result is always written: it needs a block that every
    invocation executes. `inputs` maps loads of the consumer to the block that stores their value; entries
    may be added later. Each instruction is classified once, without recursion.
    """

    __slots__ = ("_always", "_inputs", "_producer", "_reads")

    def __init__(self, producer: FunctionImpl, inputs: Mapping[Instr, Block]) -> None:
        self._producer = producer
        self._inputs = inputs
        self._reads: dict[Instr, _Reads] = {}
        self._always: DominatorTree | None = None

    def block_for(self, instr: Instr) -> Block | None:
        """Return the block where the producer could compute an instruction; None if there is none."""
        reads = self._reads_of(instr)
        if reads.block is None or reads.apart:
            return None
        return None if reads.selects and not self._always_runs(reads.block) else reads.block

    def obstacle(self, instr: Instr) -> str:
        """Return why `block_for` found no block."""
        if self._reads_of(instr).apart:
            return "its inputs are stored in different blocks"
        return "it selects a value, and its inputs are not stored by every invocation"

    def _reads_of(self, instr: Instr) -> _Reads:
        # Only movable expressions get here, and a loop-carried value is not movable.
        for current in operands_first(instr, self._operands, self._reads):
            block = self._inputs.get(current)
            operands = (self._reads[maker] for maker in self._operands(current))
            reads = _together(is_selection(current), operands) if block is None else _Reads(block)
            self._reads[current] = reads
        return self._reads[instr]

    def _operands(self, instr: Instr) -> Iterable[Instr]:
        return () if instr in self._inputs else makers(instr.srcs())

    def _always_runs(self, block: Block) -> bool:
        """Whether every invocation of the producer executes a block."""
        if self._always is None:
            self._always = post_dominance(self._producer)
        return self._always.dominates(block, self._producer.start_block)


def _together(selects: bool, operands: Iterable[_Reads]) -> _Reads:
    block: Block | None = None
    apart = False
    for operand in operands:
        selects = selects or operand.selects
        apart = apart or operand.apart or (block is not None and operand.block not in (None, block))
        block = block or operand.block
    return _Reads(block, apart, selects)


def is_selection(instr: Instr) -> bool:
    """Whether an instruction chooses between values, so that one of them may be undefined."""
    if not isinstance(instr, AluInstr):
        return False
    entry = opcode(instr.op)
    return entry is not None and entry.is_selection
