"""Reasons why a tessellation control shader cannot be split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.effects import can_eliminate, effects_of
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    ParallelCopyInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Shader
from nirls.passes.tessellation.output_access import STORES

_HARMLESS = STORES | frozenset(("nop",))
_PRIVATE_STORES = frozenset(("store_deref", "copy_deref", "store_scratch", "store_var", "copy_var"))
_REGISTERS = frozenset(("decl_reg", "load_reg", "store_reg", "load_reg_indirect", "store_reg_indirect"))


@dataclass(frozen=True, slots=True, eq=False)
class GiveUp:
    """The reason why a control shader is not split: `reason` completes "because it ...".

    `because_of` is the instruction that prevents it, if there is one. `lower_first` is set if the I/O still
    consists of variables.
    """

    reason: str
    because_of: Instr | None = None
    lower_first: bool = False


def effect_in_the_way(shader: Shader, impl: FunctionImpl) -> GiveUp | None:
    """Find the first construct that must not be duplicated, skipped or delayed; None if there is none."""
    if shader.unreadable:
        return GiveUp("has lines that could not be read")
    for loop in _loops(impl):
        if not _is_left(loop):
            return GiveUp("has a loop that never ends")
    for instr in impl.instrs():
        reason = _reason(instr)
        if reason is not None:
            return GiveUp(reason, instr, lower_first=reason == _VARIABLES)
    return None


def works_together(instr: Instr) -> bool:
    """Whether an instruction reads values of other invocations of the subgroup, also of other patches."""
    return effects_of(instr).crosses_lanes


_VARIABLES = "still has its outputs as variables; lower I/O to intrinsics first"


def _reason(instr: Instr) -> str | None:
    if isinstance(instr, CallInstr):
        return f"calls {instr.callee_name}"
    if isinstance(instr, JumpInstr):
        ends = instr.jump_kind not in ("break", "continue")
        return f"ends early ({instr.jump_kind})" if ends else None
    if isinstance(instr, ParallelCopyInstr) or instr.reg_dest is not None:
        return "has registers; run lower_regs_to_ssa first"
    if any(src.def_ is None for src in instr.all_srcs()):
        return "has registers; run lower_regs_to_ssa first"
    if isinstance(instr, DerefInstr):
        return _VARIABLES if "shader_out" in instr.mode.split("|") else None
    return _intrinsic_reason(instr) if isinstance(instr, IntrinsicInstr) else None


def _intrinsic_reason(instr: IntrinsicInstr) -> str | None:
    name = instr.name
    if name in _REGISTERS:
        return "has registers; run lower_regs_to_ssa first"
    if instr.int_index("access") & VOLATILE:
        return f"reads or writes volatile memory ({name})"
    effects = effects_of(instr)
    if name in _HARMLESS or can_eliminate(instr) or effects.is_barrier:
        return None
    if name in _PRIVATE_STORES:
        return _private_store_reason(instr)
    if effects.is_atomic and not effects.is_everything:
        return f"has an atomic ({name})"
    if effects.writes() and not effects.is_everything:
        return f"stores to memory ({name})"
    return f"has an effect beside its outputs ({name})"


def _private_store_reason(instr: IntrinsicInstr) -> str | None:
    """Return the reason why a private store prevents splitting: both parts would share the temporary."""
    deref = instr.sources[0].def_.instr if instr.sources and instr.sources[0].def_ is not None else None
    if isinstance(deref, DerefInstr):
        mode = deref.mode
        if mode in ("function_temp", "shader_temp"):
            return "has temporaries; run lower_vars_to_ssa first"
        return f"stores to memory ({instr.name} of {mode})"
    if isinstance(deref, UndefInstr):
        return f"stores to memory ({instr.name})"
    return "has temporaries in scratch memory" if instr.name == "store_scratch" else f"stores ({instr.name})"


def _loops(impl: FunctionImpl) -> Iterator[Loop]:
    for node in impl.cf_nodes():
        if isinstance(node, Loop):
            yield node


def _is_left(loop: Loop) -> bool:
    """Whether a loop has a `break`."""
    stack = [node for body in loop.bodies() for node in body]
    while stack:
        node = stack.pop()
        if isinstance(node, Block):
            if node.jump is not None and node.jump.jump_kind == "break":
                return True
        elif isinstance(node, If):
            stack += [inner for body in node.bodies() for inner in body]
    return False
