"""Which discards of a function can move to its top, and what moves with them; or why not."""

from __future__ import annotations

from dataclasses import dataclass, field

from nirls.ir.control_flow import FunctionImpl
from nirls.ir.instructions import Instr, IntrinsicInstr
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
    """A discard that can go to the top. `needed` are the instructions that go with it, itself included."""

    discard: IntrinsicInstr
    needed: frozenset[Instr]


@dataclass(frozen=True, slots=True, eq=False)
class Unmovable:
    """A discard that stays, with the one reason, and the instruction that is the reason if there is one."""

    discard: IntrinsicInstr
    reason: str
    because_of: Instr | None = None


@dataclass(slots=True)
class MovePlan:
    """All discards of a function, found before anything moves."""

    movable: list[Movable] = field(default_factory=list)
    unmovable: list[Unmovable] = field(default_factory=list)


def plan_moves(impl: FunctionImpl, *, derivatives_safe_after_discard: bool = False) -> MovePlan:
    """Sort the discards of a function into those that can move to its top and those that cannot.

    A discard can move if it is conditional and at the top level of control flow, if nothing above it must
    come first (see `obstacle`), and if what it depends on can run earlier as well.
    """
    plan = MovePlan()
    for_all: Obstacle | None = None
    for_terminates: Obstacle | None = None
    movable: set[Instr] = set()
    for instr in impl.instrs():
        if isinstance(instr, IntrinsicInstr) and is_discard(instr):
            in_the_way = for_all
            if in_the_way is None and not is_demote(instr) and not derivatives_safe_after_discard:
                in_the_way = for_terminates
            _judge(instr, in_the_way, movable, plan)
        elif for_all is None and (found := obstacle(instr)) is not None:
            if found.reach is Reach.EVERY_KIND:
                for_all = found
            elif for_terminates is None:
                for_terminates = found
    return plan


def _judge(discard: IntrinsicInstr, in_the_way: Obstacle | None, movable: set[Instr], plan: MovePlan) -> None:
    nesting = nesting_reason(discard.block)
    if nesting is not None:
        plan.unmovable.append(Unmovable(discard, nesting))
    elif not is_conditional(discard):
        plan.unmovable.append(Unmovable(discard, "it is unconditional"))
    elif in_the_way is not None:
        plan.unmovable.append(Unmovable(discard, in_the_way.reason, in_the_way.instr))
    else:
        needed = _dependencies(discard, movable)
        if isinstance(needed, Unmovable):
            plan.unmovable.append(needed)
        else:
            movable |= needed
            plan.movable.append(Movable(discard, frozenset(needed)))


def _dependencies(discard: IntrinsicInstr, movable: set[Instr]) -> set[Instr] | Unmovable:
    """What the discard needs beyond `movable`, itself included; or why it cannot move."""
    needed: set[Instr] = {discard}
    work: list[Instr] = [discard]
    while work:
        instr = work.pop()
        for src in instr.all_srcs():
            if src.def_ is None:
                return Unmovable(discard, "its condition depends on a register", instr)
            maker = src.def_.instr
            if maker is None or maker.block is None:
                return Unmovable(discard, f"its condition depends on %{src.def_.index}, defined nowhere")
            if maker in needed or maker in movable:
                continue
            reason = dependency_reason(maker)
            if reason is not None:
                return Unmovable(discard, reason, maker)
            needed.add(maker)
            work.append(maker)
    return needed
