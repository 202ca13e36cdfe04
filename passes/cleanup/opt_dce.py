"""The pass `opt_dce`: dead code elimination (Mesa: nir_opt_dce)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects import can_eliminate
from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
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
    live: set[Instr] = set()
    work: list[Instr] = []
    for node in impl.cf_nodes():
        if isinstance(node, If) and node.condition.def_ is not None:
            _need(node.condition.def_, live, work)
    instrs = list(impl.instrs())
    for instr in instrs:
        if instr not in live and not can_eliminate(instr):
            live.add(instr)
            work.append(instr)
    while work:
        for src in work.pop().all_srcs():
            if src.def_ is not None:
                _need(src.def_, live, work)
    return [instr for instr in instrs if instr not in live]


def _need(value: Def, live: set[Instr], work: list[Instr]) -> None:
    maker = value.instr
    if maker is not None and maker not in live:
        live.add(maker)
        work.append(maker)
