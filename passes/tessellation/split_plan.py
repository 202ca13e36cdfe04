"""Planning of the split of a control shader: instructions for the levels, and for other outputs only."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.effects import effects_of
from nirls.ir.io.access import IoAccess
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.tessellation.backward_slice import Slice, Slicer
from nirls.passes.tessellation.culling_guard import is_behind_guard
from nirls.passes.tessellation.give_up import GiveUp, effect_in_the_way, works_together
from nirls.passes.tessellation.output_access import (
    INNER,
    OUTER,
    OutputAccesses,
    Place,
    output_accesses,
    place_name,
)

_BARRIER = "barrier"


@dataclass(frozen=True, slots=True, eq=False)
class SplitPlan:
    """The split of a control shader.

    `first` is the slice of the levels, and `first_stores` are its output stores: those of the levels and of
    outputs that the levels depend on. `rest` is the slice of the other outputs, without `shared`, the values
    of the first part that are available at its end. `compared` are the stored components of the outer levels
    that can cull the patch.
    """

    impl: FunctionImpl
    accesses: OutputAccesses
    first: Slice
    first_stores: frozenset[Instr]
    rest: Slice
    shared: frozenset[Def]
    compared: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of instructions of the function."""
        return sum(1 for _ in self.impl.instrs())

    def skippable(self) -> list[Instr]:
        """Return the instructions needed only by the other outputs, in printed order."""
        return [
            instr for instr in self.impl.instrs() if instr in self.rest.instrs and not self._is_first(instr)
        ]

    def _is_first(self, instr: Instr) -> bool:
        return instr in self.first.instrs


def plan_split(shader: Shader, rule: CullingRule) -> SplitPlan | GiveUp | None:
    """Plan the split; return the reason if it is not possible, None if there is nothing to gain."""
    impl = shader.entrypoint
    if impl is None or not impl.body or not isinstance(impl.body[0], Block):
        return None
    impl.link_blocks()
    accesses = output_accesses(impl)
    levels = [store for store in accesses.stores if _is_of_levels(store)]
    others = [store for store in accesses.stores if not _is_of_levels(store)]
    in_the_way = effect_in_the_way(shader, impl)
    if in_the_way is not None:
        return in_the_way if (levels and others) or in_the_way.lower_first else None
    if accesses.unknown:
        return GiveUp("accesses an output whose slot the dump does not tell", accesses.unknown[0])
    if not others or not levels:
        return None
    stored = {place for store in levels for place in store.places}
    compared = tuple(number for number in range(rule.outer_levels) if (OUTER, number) in stored)
    if not compared:
        return GiveUp("stores none of the levels by which patches are culled")
    if all(is_behind_guard(store.instr, accesses) for store in others):
        return None
    return _divided(impl, accesses, levels, compared)


def _divided(
    impl: FunctionImpl, accesses: OutputAccesses, levels: list[IoAccess], compared: tuple[int, ...]
) -> SplitPlan | GiveUp | None:
    slicer = _slicer_of(impl, accesses)
    first = slicer.needed_for(store.instr for store in levels)
    first_stores = frozenset(store.instr for store in accesses.stores if store.instr in first.instrs)
    roots = [store.instr for store in accesses.stores if store.instr not in first_stores]
    if not roots:
        last = next(store for store in reversed(accesses.stores) if not _is_of_levels(store))
        return GiveUp("computes the levels from all of its other outputs", last.instr)
    if all(is_behind_guard(root, accesses) for root in roots):
        return None
    shared = frozenset(
        instr.def_
        for instr in first.instrs
        if instr.def_ is not None and instr.block is not None and instr.block.parent is impl
    )
    rest = slicer.needed_for(roots, shared, without=first_stores)
    found = _read_too_early(impl, accesses, first_stores, rest) or _works_together(impl, rest)
    if found is not None:
        return found
    return SplitPlan(impl, accesses, first, first_stores, rest, shared, compared)


def _slicer_of(impl: FunctionImpl, accesses: OutputAccesses) -> Slicer:
    """Build the slicer with memory dependencies.

    Loads depend on the stores of the same place and on all barriers; stores depend on other stores of the
    same place, and on barriers, which order stores of different invocations.
    """
    asks: dict[Instr, Collection[Hashable]] = {}
    answers: dict[Hashable, list[Instr]] = {
        _BARRIER: [
            instr
            for instr in impl.instrs()
            if isinstance(instr, IntrinsicInstr) and effects_of(instr).is_barrier
        ]
    }
    for store in accesses.stores:
        for place in store.places:
            answers.setdefault(place, []).append(store.instr)
    for store in accesses.stores:
        is_only_one = all(len(answers[place]) == 1 for place in store.places)
        asks[store.instr] = store.places if is_only_one else (*store.places, _BARRIER)
    for load in accesses.loads:
        asks[load.instr] = (*load.places, _BARRIER)
    return Slicer(impl, asks, answers)


def _is_of_levels(store: IoAccess) -> bool:
    return any(slot in (OUTER, INNER) for slot, _ in store.places)


def _read_too_early(
    impl: FunctionImpl, accesses: OutputAccesses, first_stores: Collection[Instr], rest: Slice
) -> GiveUp | None:
    """Find a load of the second part that would read a store which originally follows it.

    The second part executes after the complete first part, so a load of the rest is valid only if no store
    of the first part to its place can follow it.
    """
    stores: dict[Place, list[Instr]] = {}
    for store in accesses.stores:
        if store.instr in first_stores:
            for place in store.places:
                stores.setdefault(place, []).append(store.instr)
    leading: dict[Place, set[Block]] = {}
    for load in accesses.loads:
        if load.instr not in rest.instrs or load.instr.block is None:
            continue
        for place in load.places:
            if place not in stores:
                continue
            if place not in leading:
                leading[place] = _blocks_ahead_of(stores[place])
            follows = any(_comes_before(load.instr, store) for store in stores[place])
            if follows or load.instr.block in leading[place]:
                return GiveUp(
                    f"computes the levels from {place_name(place)}, which is stored again after the other"
                    " outputs have read it",
                    load.instr,
                )
    return None


def _blocks_ahead_of(instrs: Iterable[Instr]) -> set[Block]:
    """Return the blocks from whose end one of the instructions is reachable."""
    found: set[Block] = set()
    work = [pred for instr in instrs if instr.block is not None for pred in instr.block.predecessors]
    while work:
        block = work.pop()
        if block not in found:
            found.add(block)
            work += block.predecessors
    return found


def _comes_before(first: Instr, second: Instr) -> bool:
    """Whether both instructions are in one block, in this order."""
    if first.block is not second.block:
        return False
    at = first.next
    while at is not None and at is not second:
        at = at.next
    return at is not None


def _works_together(impl: FunctionImpl, rest: Slice) -> GiveUp | None:
    for instr in impl.instrs():
        if instr in rest.instrs and works_together(instr) and isinstance(instr, IntrinsicInstr):
            return GiveUp(
                f"computes other outputs with {instr.name}, which would miss culled patches of the subgroup",
                instr,
            )
    return None


def costs_nothing(instr: Instr) -> bool:
    """Whether an instruction is a constant or an undefined value."""
    return isinstance(instr, LoadConstInstr | UndefInstr)
