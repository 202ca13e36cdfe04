"""The pass `opt_dce`: dead code elimination (Mesa: nir_opt_dce)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects import can_eliminate
from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.walks import closure, makers
from nirls.passes.declaration import Pass


@dataclass(frozen=True)
class OptDce(Pass):
    """Remove dead instructions."""

    name = "opt_dce"
    needs_structure = False

    def apply(self, shader: Shader) -> bool:
        return opt_dce(shader)


def opt_dce(shader: Shader) -> bool:
    """Remove every instruction that no instruction with an effect needs, including cycles of phis.

    Control flow is unchanged; opt_dead_cf removes it.
    """
    progress = False
    for impl in shader.impls():
        dead = dead_instrs(impl)
        for instr in dead:
            instr.remove()
        progress |= bool(dead)
    return progress


def dead_instrs(impl: FunctionImpl) -> list[Instr]:
    """Find the instructions that no condition and no instruction with an effect needs, in printed order."""
    instrs = list(impl.instrs())
    conditions = makers(node.condition for node in impl.cf_nodes() if isinstance(node, If))
    effects = (instr for instr in instrs if not can_eliminate(instr))
    live = closure((*conditions, *effects), lambda instr: makers(instr.all_srcs()))
    return [instr for instr in instrs if instr not in live]
