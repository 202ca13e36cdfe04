"""The pass `opt_cse`: common subexpression elimination (Mesa: nir_opt_cse)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from nirls.ir.analysis.dominance import dominance
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.math_control import MATH_CONTROL_WORDS, stricter
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.value_key import value_key
from nirls.passes.declaration import Pass


@dataclass(frozen=True)
class OptCse(Pass):
    """Eliminate common subexpressions."""

    name = "opt_cse"
    needs_structure = False

    def apply(self, shader: Shader) -> bool:
        return opt_cse(shader)


def opt_cse(shader: Shader) -> bool:
    """Replace each instruction by an equal one that dominates it.

    If the two differ only in exactness, the remaining one becomes exact.
    """
    progress = False
    for impl in shader.impls():
        for instr, equal in common_subexpressions(impl):
            merge_into(instr, equal)
            progress = True
    return progress


def common_subexpressions(impl: FunctionImpl) -> Iterator[tuple[Instr, Instr]]:
    """Yield pairs of an instruction and the first equal one that dominates it, in printed order.

    If the caller merges each pair before the next one, instructions that become equal are found too.
    """
    tree = dominance(impl)
    known: dict[Hashable, Instr] = {}
    for block in impl.blocks():
        for instr in block:
            key = value_key(instr)
            if key is None:
                continue
            equal = known.get(key)
            if equal is not None and equal.block is not None and tree.dominates(equal.block, block):
                yield instr, equal
            else:
                known[key] = instr


def merge_into(instr: Instr, equal: Instr) -> None:
    """Replace all uses of an instruction by an equal one that dominates it, and remove it."""
    if instr.def_ is None or equal.def_ is None:
        return
    if isinstance(instr, AluInstr) and isinstance(equal, AluInstr):
        equal.flags = equal.flags - MATH_CONTROL_WORDS | stricter(equal.flags, instr.flags)
    instr.def_.replace_all_uses_with(equal.def_)
    instr.remove()
