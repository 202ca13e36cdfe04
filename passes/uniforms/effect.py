"""Clean-up and loop unrolling after inlining, and counts of what that saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from nirls.ir.finding import counted, listed
from nirls.ir.model.control_flow import If, Loop, loops_around
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.loops.opt_if import opt_if
from nirls.passes.loops.opt_loop_unroll import opt_loop_unroll, unrollable_loops
from nirls.passes.uniforms.deciders import SELECTIONS

Effect = dict[str, int]
"""Number of removed items of each kind; negative for added ones. Unchanged kinds are omitted."""

_ITERATIONS = 10
_PLURALS = {"branch": "branches", "texture fetch": "texture fetches"}


def contents(shader: Shader) -> Counter[str]:
    """Count the items of each kind in a shader."""
    counts: Counter[str] = Counter()
    for impl in shader.impls():
        for node in impl.cf_nodes():
            if isinstance(node, If):
                counts["branch"] += 1
            elif isinstance(node, Loop):
                counts["loop"] += 1
        for instr in impl.instrs():
            counts["instruction"] += 1
            if isinstance(instr, AluInstr) and instr.op in SELECTIONS:
                counts["select"] += 1
            elif isinstance(instr, TexInstr):
                counts["texture fetch"] += 1
            elif isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_"):
                counts["load"] += 1
    return counts


def saved(before: Counter[str], after: Counter[str]) -> Effect:
    """Return the difference of two counts."""
    return {kind: gone for kind in before | after if (gone := before[kind] - after[kind])}


def at_least(effects: Iterable[Effect]) -> Effect:
    """Return the minimum of several effects for each kind."""
    found = list(effects)
    kinds = dict.fromkeys(kind for effect in found for kind in effect)
    least = {kind: min(effect.get(kind, 0) for effect in found) for kind in kinds}
    return {kind: number for kind, number in least.items() if number}


def in_words(effect: Effect) -> str:
    """Format an effect, for example `3 selects, 4 loads and 1 branch`; instructions only if nothing else."""
    kinds = ("select", "branch", "loop", "texture fetch", "load")
    parts = [counted(effect[kind], kind, _PLURALS.get(kind, "")) for kind in kinds if effect.get(kind, 0) > 0]
    if not parts and effect.get("instruction", 0) > 0:
        parts = [counted(effect["instruction"], "instruction")]
    return listed(parts) if parts else ""


_PASSES = (opt_constant_folding, copy_prop, opt_if, opt_dead_cf, opt_remove_phis, opt_dce)


def tidy(shader: Shader, leave: Collection[Loop] = frozenset()) -> bool:
    """Fold, unroll and remove dead code up to a fixed point; return whether the shader changed.

    Algebraic rules and CSE are not applied, so that the change stays small; nor are the loops in `leave`
    unrolled.
    """

    def unroll(shader: Shader) -> bool:
        return opt_loop_unroll(shader, leave=leave)

    return clean_up(shader, (*_PASSES, unroll))


def unrollable(shader: Shader) -> set[Loop]:
    """Return the loops that can be unrolled without a known uniform."""
    return {unrollable_loop.shape.loop for unrollable_loop in unrollable_loops(shader)}


def executed(shader: Shader) -> int:
    """Estimate the instructions that an invocation executes: all branches, and loops ten times."""
    return sum(
        _ITERATIONS ** len(list(loops_around(block))) * len(list(block))
        for impl in shader.impls()
        for block in impl.blocks()
    )
