"""Instructions that prevent moving a discard up, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nirls.ir.effects import can_eliminate, can_reorder, effects_of
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
)
from nirls.passes.discards.kinds import is_discard

_PRIVATE = frozenset(("output", "register", "scratch", "xfb", "framebuffer", "query", "ray"))
"""Memory private to the invocation, or visible outside only if the invocation is not discarded."""


class Reach(Enum):
    """The kinds of discards that an instruction blocks."""

    EVERY_KIND = "every kind"
    ALL_BUT_DEMOTES = "all but demotes"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An instruction that discards may not move above. `reason` completes "because it ..."."""

    instr: Instr
    reach: Reach
    reason: str


def obstacle(instr: Instr) -> Obstacle | None:
    """Return the obstacle if discards must not move above an instruction, else None."""
    match instr:
        case AluInstr() if effects_of(instr).needs_helpers:
            return _needs_helpers(instr, f"{instr.op}, a derivative")
        case TexInstr() if effects_of(instr).needs_helpers:
            return _needs_helpers(instr, f"{instr.op}, which takes implicit derivatives")
        case CallInstr():
            return _blocks_all(instr, f"a call of {instr.callee_name}, which may do anything")
        case JumpInstr() if instr.jump_kind not in ("break", "continue"):
            return _blocks_all(instr, f"a {instr.jump_kind}, behind which the discard is not reached")
        case IntrinsicInstr():
            return _intrinsic_obstacle(instr)
    return None


def _intrinsic_obstacle(instr: IntrinsicInstr) -> Obstacle | None:
    name = instr.name
    if is_discard(instr) or can_reorder(instr):
        return None
    effects = effects_of(instr)
    if "barrier" in effects.words and not effects.is_everything:
        return _blocks_all(instr, f"{name}, a barrier")
    if effects.is_everything or effects.exchange in ("subgroup", "workgroup"):
        return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")
    if effects.needs_helpers:
        what = "a derivative" if name.startswith("dd") else "which reads the other invocations of the quad"
        return _needs_helpers(instr, f"{name}, {what}")
    if instr.int_index("access") & VOLATILE:
        return _blocks_all(instr, f"{name}, a volatile access")
    if effects.is_atomic:
        return _blocks_all(instr, f"{name}, an atomic")
    if any(access.writes and not access.memories <= _PRIVATE for access in effects.accesses):
        return _blocks_all(instr, f"{name}, a write to external memory")
    if "asks-helpers" in effects.words:
        return _blocks_all(instr, f"{name}, whose answer a discard changes")
    if (effects.accesses and "ordered" not in effects.words) or name == "decl_reg":
        return None
    if not effects.words and can_eliminate(instr):
        return None
    return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")


def _needs_helpers(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.ALL_BUT_DEMOTES, f"it stands below {_named(instr)}{what}")


def _blocks_all(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.EVERY_KIND, f"it stands below {_named(instr)}{what}")


def _named(instr: Instr) -> str:
    return "" if instr.def_ is None else f"%{instr.def_.index} = "


def nesting_reason(block: Block | None) -> str | None:
    """Return the reason why a block is not at the top level of control flow; None if it is."""
    parent = None if block is None else block.parent
    if isinstance(parent, FunctionImpl):
        return None
    if isinstance(parent, If):
        return "it is inside an if"
    return "it is inside a loop" if isinstance(parent, Loop) else "it is in no block of the function"


def dependency_reason(instr: Instr) -> str | None:
    """Return the reason why an instruction that a discard depends on cannot move up; None if it can."""
    number = "a value" if instr.def_ is None else f"%{instr.def_.index}"
    if isinstance(instr, PhiInstr):
        return f"its condition depends on {number}, a phi"
    if isinstance(instr, ParallelCopyInstr):
        return f"its condition depends on {number}, a parallel copy"
    if isinstance(instr, IntrinsicInstr) and not can_reorder(instr):
        if effects_of(instr).reads() and not effects_of(instr).writes():
            return f"its condition depends on {number}, a {instr.name} of memory that may be written"
        return f"its condition depends on {number}, a {instr.name} that cannot be reordered"
    if any(src.def_ is None for src in instr.srcs()):
        return f"its condition depends on {number}, which reads a register"
    return None
