"""The pass `opt_remove_phis`: phis that merge one value only (Mesa: nir_opt_remove_phis)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.analysis.dominance import DominatorTree, dominance
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, LoadConstInstr, PhiInstr, UndefInstr, is_undef
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.cleanup.value_key import value_key
from nirls.passes.declaration import Pass


@dataclass(frozen=True)
class OptRemovePhis(Pass):
    """Remove phis whose sources are all the same value."""

    name = "opt_remove_phis"

    def apply(self, shader: Shader) -> bool:
        return opt_remove_phis(shader)


def opt_remove_phis(shader: Shader) -> bool:
    """Replace each phi whose sources are all the same value by that value.

    Sources that are undefined or the phi itself are ignored. Equal computations count as the same value; if
    none dominates the phi, the instruction is copied to the immediate dominator.
    """
    changed = [impl for impl in shader.impls() if _RemovePhis(impl).run()]
    return bool(changed)


class _RemovePhis:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.builder: Builder | None = None
        self.tree: DominatorTree | None = None

    def run(self) -> bool:
        progress = False
        for block in self.impl.blocks():
            for phi in block.phis():
                if self.tree is None:
                    self.tree = dominance(self.impl)
                progress |= self._remove(phi, block, self.tree)
        return progress

    def _remove(self, phi: PhiInstr, block: Block, tree: DominatorTree) -> bool:
        value, above = phi.def_, tree.idom(block)
        if value is None or above is None or any(src.def_ is None for src in phi.sources):
            return False
        defined = [src.ssa for src in phi.sources if src.def_ is not value and not is_undef(src.ssa)]
        if not defined:
            self._undefine(phi, value)
            return True
        first = defined[0]
        if any(not _is_same(other, first) for other in defined[1:]):
            return False
        maker = first.instr
        if maker is None or maker.block is None:
            return False
        if not tree.dominates(maker.block, above):
            if not _can_run_in(above, maker, tree):
                return False
            first = self._compute_in(above, maker)
        value.replace_all_uses_with(first)
        phi.remove()
        return True

    def _undefine(self, phi: PhiInstr, value: Def) -> None:
        block = phi.block
        if block is None:
            return
        undef = UndefInstr()
        twin = undef.make_def(value.index, value.num_components, value.bit_size, value.divergent)
        undef.span = phi.span
        *_, last = block.phis()
        block.insert_after(last, undef)
        value.replace_all_uses_with(twin)
        phi.remove()

    def _compute_in(self, block: Block, maker: Instr) -> Def:
        """Copy an instruction to the end of a block."""
        if self.builder is None:
            self.builder = Builder(self.impl, block)
        value = self.builder.at_end_of(block).copy(maker).def_
        if value is None:
            raise ValueError(f"{maker!r} makes no value")
        return value


def _is_same(value: Def, other: Def) -> bool:
    if value is other:
        return True
    instr, two = value.instr, other.instr
    if not isinstance(instr, AluInstr | LoadConstInstr) or type(instr) is not type(two):
        return False
    if isinstance(instr, AluInstr) and isinstance(two, AluInstr) and instr.flags != two.flags:
        return False
    key = value_key(instr)
    return key is not None and key == value_key(two)


def _can_run_in(block: Block, maker: Instr, tree: DominatorTree) -> bool:
    if isinstance(maker, LoadConstInstr):
        return True
    if not isinstance(maker, AluInstr):
        return False
    for src in maker.sources:
        operand = src.def_instr
        if operand is None or operand.block is None or not tree.dominates(operand.block, block):
            return False
    return True
