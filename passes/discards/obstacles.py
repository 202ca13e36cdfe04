"""What a discard may not move above, and what it may not depend on, each with the reason in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nirls.ir.effects import can_reorder
from nirls.ir.evaluate.alu import QUAD_OPCODES
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.tables import intrinsic
from nirls.passes.discards.kinds import is_discard

_IMPLICIT_DERIVATIVE_OPS = frozenset(("tex", "txb", "lod"))
_DERIVATIVES = frozenset(f"dd{axis}{kind}" for axis in "xy" for kind in ("", "_fine", "_coarse"))
_EXTERNAL_MODES = frozenset(("ssbo", "global", "shared", "task_payload", "node_payload", "image"))
_DEREF_WRITES = frozenset(("store_deref", "copy_deref", "memcpy_deref"))
# Writes of memory that is this invocation's own, and that the outside sees only if it is not discarded.
_OWN_WRITES = ("store_output", "store_per_", "store_var", "copy_var", "store_reg", "store_scratch")
_BARRIERS = ("barrier", "memory_barrier", "group_memory_barrier", "scoped_barrier", "control_barrier")
_ASKS_FOR_HELPERS = frozenset(("load_helper_invocation", "is_helper_invocation"))
_IMAGE_QUERIES = ("_samples_identical", "_load", "_sparse_load", "_load_raw_intel")


class Reach(Enum):
    """Which discards an instruction is in the way of."""

    EVERY_KIND = "every kind"
    ALL_BUT_DEMOTES = "all but demotes"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An instruction that discards may not move above. `reason` completes "because it ..."."""

    instr: Instr
    reach: Reach
    reason: str


def obstacle(instr: Instr) -> Obstacle | None:
    """Why discards below an instruction must stay below it, or None."""
    match instr:
        case AluInstr() if instr.op in QUAD_OPCODES:
            return _needs_helpers(instr, f"{instr.op}, a derivative")
        case TexInstr() if instr.op in _IMPLICIT_DERIVATIVE_OPS or "implicit lod" in instr.flags:
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
    if name in _DERIVATIVES:
        return _needs_helpers(instr, f"{name}, a derivative")
    if name.startswith("quad_"):
        return _needs_helpers(instr, f"{name}, which reads the other invocations of the quad")
    if _writes_external_memory(instr):
        what = "an atomic" if "atomic" in name else "a write to external memory"
        return _blocks_all(instr, f"{name}, {what}")
    if name.startswith(_BARRIERS):
        return _blocks_all(instr, f"{name}, a barrier")
    if name in _ASKS_FOR_HELPERS:
        return _blocks_all(instr, f"{name}, whose answer a discard changes")
    if _touches_only_memory(instr):
        return None
    return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")


def _writes_external_memory(instr: IntrinsicInstr) -> bool:
    name = instr.name
    if name in _DEREF_WRITES:
        return _writes_external_variable(instr)
    if "atomic" in name and not name.startswith("atomic_counter_read"):
        return True
    return "store" in name and not name.startswith(_OWN_WRITES)


def _writes_external_variable(instr: IntrinsicInstr) -> bool:
    value = instr.sources[0].def_ if instr.sources else None
    deref = None if value is None else value.instr
    if not isinstance(deref, DerefInstr):
        return True
    return any(mode.strip() in _EXTERNAL_MODES for mode in deref.mode.split("|"))


def _touches_only_memory(instr: IntrinsicInstr) -> bool:
    """Whether it only loads, or writes what the invocation's end makes unseen."""
    name = instr.name
    if name.startswith(_OWN_WRITES) or name in _DEREF_WRITES or name == "decl_reg":
        return True
    entry = intrinsic(name)
    if entry is None or not entry.has_dest:
        return False
    return name.startswith("load_") or ("image" in name and name.endswith(_IMAGE_QUERIES))


def _needs_helpers(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.ALL_BUT_DEMOTES, f"it stands below {_named(instr)}{what}")


def _blocks_all(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.EVERY_KIND, f"it stands below {_named(instr)}{what}")


def _named(instr: Instr) -> str:
    return "" if instr.def_ is None else f"%{instr.def_.index} = "


def nesting_reason(block: Block | None) -> str | None:
    """Why a discard in this block is not at the top level of control flow; None if it is."""
    parent = None if block is None else block.parent
    if isinstance(parent, FunctionImpl):
        return None
    if isinstance(parent, If):
        return "it is inside an if"
    return "it is inside a loop" if isinstance(parent, Loop) else "it is in no block of the function"


def dependency_reason(instr: Instr) -> str | None:
    """Why an instruction that a discard depends on cannot run earlier; None if it can."""
    number = "a value" if instr.def_ is None else f"%{instr.def_.index}"
    if isinstance(instr, PhiInstr):
        return f"its condition depends on {number}, a phi"
    if isinstance(instr, ParallelCopyInstr):
        return f"its condition depends on {number}, a parallel copy"
    if isinstance(instr, IntrinsicInstr) and not can_reorder(instr):
        if instr.name.startswith("load_") or "load" in instr.name:
            return f"its condition depends on {number}, a {instr.name} of memory that may be written"
        return f"its condition depends on {number}, a {instr.name} that cannot be reordered"
    if any(src.def_ is None for src in instr.srcs()):
        return f"its condition depends on {number}, which reads a register"
    return None
