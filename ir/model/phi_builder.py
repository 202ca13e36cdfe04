"""SSA construction for values with several assignments (Mesa: nir_phi_builder).

After Cytron and others, "Efficiently computing static single assignment form and the control dependence
graph", 1991: phis go to the iterated dominance frontier of the assignments.
"""

from __future__ import annotations

from collections.abc import Iterable

from nirls.ir.analysis.dominance import DominatorTree, dominance
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import PhiInstr
from nirls.ir.model.values import Def, PhiSrc
from nirls.ir.model.walks import closure, makers


class PhiBuilder:
    """SSA construction in one function. Blocks must be processed in the order of `blocks_in_order`."""

    __slots__ = ("builder", "impl", "tree", "values")

    def __init__(self, impl: FunctionImpl) -> None:
        impl.link_blocks()
        self.impl = impl
        self.tree: DominatorTree = dominance(impl)
        self.builder = Builder(impl, impl.start_block)
        self.values: list[PhiValue] = []

    def blocks_in_order(self) -> list[Block]:
        """Return all blocks, dominators first and unreachable blocks last."""
        reachable = [block for block in self.tree.preorder() if block is not self.impl.end_block]
        seen = set(reachable)
        return reachable + [block for block in self.impl.blocks() if block not in seen]

    def add_value(self, num_components: int, bit_size: int, assigned_in: Iterable[Block]) -> PhiValue:
        """Add a value assigned in given blocks; insert phis at their iterated dominance frontier."""
        value = PhiValue(self, num_components, bit_size)
        work = [block for block in dict.fromkeys(assigned_in) if self.tree.is_reachable(block)]
        while work:
            for block in self.tree.frontier(work.pop()):
                if block not in value.phis and block is not self.impl.end_block:
                    value.phis[block] = self._phi(block, value)
                    work.append(block)
        self.values.append(value)
        return value

    def finish(self) -> None:
        """Add the phi sources after all blocks are processed, and remove unused phis."""
        phis: set[PhiInstr] = set()
        for value in self.values:
            for block, phi in value.phis.items():
                phis.add(phi)
                for pred in block.predecessors:
                    phi.add_source(PhiSrc(pred, value.at_end_of(pred)))
        for phi in phis - _needed(phis):
            for src in phi.sources:
                src.clear()
            phi.remove()
        for value in self.values:
            if value.undefined is not None and not value.undefined.uses and value.undefined.instr is not None:
                value.undefined.instr.remove()

    def _phi(self, block: Block, value: PhiValue) -> PhiInstr:
        phi = PhiInstr([])
        phi.make_def(self.builder.next_index, value.num_components, value.bit_size)
        self.builder.next_index += 1
        block.insert_before(next((instr for instr in block if not isinstance(instr, PhiInstr)), None), phi)
        return phi


class PhiValue:
    """A value with several assignments: its phis, and its def at the end of each assigning block."""

    __slots__ = ("bit_size", "ends", "num_components", "owner", "phis", "undefined")

    def __init__(self, owner: PhiBuilder, num_components: int, bit_size: int) -> None:
        self.owner = owner
        self.num_components = num_components
        self.bit_size = bit_size
        self.phis: dict[Block, PhiInstr] = {}
        self.ends: dict[Block, Def] = {}
        self.undefined: Def | None = None

    def at_start_of(self, block: Block) -> Def:
        """Return the def after the phis of a block."""
        phi = self.phis.get(block)
        if phi is not None and phi.def_ is not None:
            return phi.def_
        above = self.owner.tree.idom(block) if self.owner.tree.is_reachable(block) else None
        return self._undef() if above is None else self.at_end_of(above)

    def at_end_of(self, block: Block) -> Def:
        """Return the def at the end of a processed block.

        The result is cached for all visited dominators, so that deep nesting is searched once.
        """
        passed: list[Block] = []
        value: Def | None = None
        at: Block | None = block
        while at is not None and self.owner.tree.is_reachable(at):
            phi = self.phis.get(at)
            value = self.ends.get(at) or (None if phi is None else phi.def_)
            if value is not None:
                break
            passed.append(at)
            at = self.owner.tree.idom(at)
        value = value or self.ends.get(block) or self._undef()
        for above in passed:
            self.ends[above] = value
        return value

    def assign(self, block: Block, value: Def) -> None:
        """Set the def at the end of a block."""
        self.ends[block] = value

    def _undef(self) -> Def:
        if self.undefined is None:
            builder = self.owner.builder
            cursor = builder.block, builder.before
            builder.at_start_of(self.owner.impl.start_block)
            self.undefined = builder.undef(self.num_components, self.bit_size)
            builder.block, builder.before = cursor
        return self.undefined


def _needed(phis: set[PhiInstr]) -> set[PhiInstr]:
    """Return the phis read, directly or through other phis, by a non-phi."""
    read = (
        phi
        for phi in phis
        if phi.def_ is not None and any(_is_other(phis, src.owner) for src in phi.def_.uses)
    )
    return set(
        closure(
            read,
            lambda phi: (
                maker for maker in makers(phi.sources) if isinstance(maker, PhiInstr) and maker in phis
            ),
        )
    )


def _is_other(phis: set[PhiInstr], owner: object) -> bool:
    return not (isinstance(owner, PhiInstr) and owner in phis)
