"""Planning of discard motion: movable discards with their dependencies, and reasons for the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.passes.discards.kinds import is_conditional, is_demote, is_discard
from nirls.passes.discards.obstacles import (
    Obstacle,
    Reach,
    dependency_reason,
    nesting_reason,
    obstacle,
)


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
