"""Planning of discard motion: movable discards with their dependencies, and obstacles of the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
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
from nirls.passes.discards.kinds import is_conditional, is_demote, is_discard

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
            return _blocks_all(instr, f"a call of {instr.callee_name}")
        case JumpInstr() if instr.jump_kind not in ("break", "continue"):
            return _blocks_all(instr, f"a {instr.jump_kind}, which may end the invocation first")
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
        return _blocks_all(instr, f"{name}, whose result depends on discards")
    if (effects.accesses and "ordered" not in effects.words) or name == "decl_reg":
        return None
    if not effects.words and can_eliminate(instr):
        return None
    return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")


def _needs_helpers(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.ALL_BUT_DEMOTES, f"it follows {_named(instr)}{what}")


def _blocks_all(instr: Instr, what: str) -> Obstacle:
    return Obstacle(instr, Reach.EVERY_KIND, f"it follows {_named(instr)}{what}")


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


@dataclass(frozen=True, slots=True, eq=False)
class Movable:
    """A discard that can move to the top.

    `needed` are the instructions that move with it, including itself, without those that already move with a
    discard above it.
    """

    discard: IntrinsicInstr
    needed: frozenset[Instr]


@dataclass(frozen=True, slots=True, eq=False)
class Unmovable:
    """A discard that cannot move, with the first reason and, if there is one, the blocking instruction."""

    discard: IntrinsicInstr
    reason: str
    because_of: Instr | None = None


@dataclass(slots=True)
class MovePlan:
    """The movable and unmovable discards of a function."""

    movable: list[Movable] = field(default_factory=list)
    unmovable: list[Unmovable] = field(default_factory=list)


def plan_moves(impl: FunctionImpl, *, derivatives_safe_after_discard: bool = False) -> MovePlan:
    """Find the discards of a function that can move to its top, and those that cannot.

    A discard is movable if it is conditional and at the top level of control flow, if there is no `obstacle`
    above it, and if its dependencies are movable. Linear in the size of the function.
    """
    instrs = list(impl.instrs())
    if not any(is_discard(instr) for instr in instrs):
        return MovePlan()
    planner = _Planner(derivatives_safe_after_discard)
    for instr in instrs:
        planner.visit(instr)
    return planner.plan


@dataclass(frozen=True, slots=True)
class _Tie:
    """The reason why an instruction, or an instruction that it depends on, cannot move up."""

    reason: str
    instr: Instr | None


class _Planner:
    """One walk over a function in printed order, in which defs precede uses."""

    def __init__(self, derivatives_safe: bool) -> None:
        self.derivatives_safe = derivatives_safe
        self.plan = MovePlan()
        self.for_all: Obstacle | None = None
        self.for_terminates: Obstacle | None = None
        self.ties: dict[Instr, _Tie | None] = {}
        self.moving: set[Instr] = set()

    def visit(self, instr: Instr) -> None:
        if isinstance(instr, IntrinsicInstr) and is_discard(instr):
            self._judge(instr)
            return
        if self.for_all is None:
            self._note_obstacle(instr)
        self.ties[instr] = self._tie_of(instr)

    def _note_obstacle(self, instr: Instr) -> None:
        found = obstacle(instr)
        if found is None:
            return
        if found.reach is Reach.EVERY_KIND:
            self.for_all = found
        elif self.for_terminates is None:
            self.for_terminates = found

    def _tie_of(self, instr: Instr) -> _Tie | None:
        reason = dependency_reason(instr)
        return self._tie_of_sources(instr) if reason is None else _Tie(reason, instr)

    def _tie_of_sources(self, instr: Instr) -> _Tie | None:
        for src in instr.all_srcs():
            if src.def_ is None:
                return _Tie("its condition depends on a register", instr)
            maker = src.def_.instr
            if maker is None or maker not in self.ties:
                return _Tie(f"its condition depends on %{src.def_.index}, which is not defined above", None)
            tie = self.ties[maker]
            if tie is not None:
                return tie
        return None

    def _judge(self, discard: IntrinsicInstr) -> None:
        why_not = self._why_not(discard)
        if why_not is not None:
            self.plan.unmovable.append(Unmovable(discard, why_not.reason, why_not.instr))
            return
        needed = needed_for(discard, without=self.moving)
        self.moving |= needed
        self.plan.movable.append(Movable(discard, frozenset(needed)))

    def _why_not(self, discard: IntrinsicInstr) -> _Tie | None:
        nesting = nesting_reason(discard.block)
        if nesting is not None:
            return _Tie(nesting, None)
        if not is_conditional(discard):
            return _Tie("it is unconditional", None)
        in_the_way = self.for_all
        if in_the_way is None and not is_demote(discard) and not self.derivatives_safe:
            in_the_way = self.for_terminates
        if in_the_way is not None:
            return _Tie(in_the_way.reason, in_the_way.instr)
        return self._tie_of_sources(discard)


def needed_for(discard: IntrinsicInstr, without: Collection[Instr] = ()) -> set[Instr]:
    """Return the transitive dependencies of a discard, including itself, except those in `without`."""
    needed: set[Instr] = {discard}
    work: list[Instr] = [discard]
    while work:
        for src in work.pop().all_srcs():
            maker = None if src.def_ is None else src.def_.instr
            if maker is not None and maker not in needed and maker not in without:
                needed.add(maker)
                work.append(maker)
    return needed
