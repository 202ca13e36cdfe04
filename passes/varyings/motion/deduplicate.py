"""Step 4: merge outputs that always store the same value.

Mesa only compares the stored values. This pass also proves that the kept output is written whenever the
removed one is: not under another condition, in another loop iteration, before another vertex is emitted, or
by another invocation. Nor may the kept output get the value of another iteration or invocation afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from functools import cached_property

from nirls.ir.analysis.dominance import DominatorTree, dominance, post_dominance
from nirls.ir.effects import effects_of
from nirls.ir.io.interpolation import barycentric_of, is_at_a_point
from nirls.ir.model.control_flow import is_in_loop
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.decisions import Fate, Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import (
    BACK_COLORS,
    Interface,
    PackingGroup,
    ScalarSlot,
    identity_of,
)
from nirls.passes.varyings.motion.slot_accesses import forbid_mediump, move_access, retire_stores


def duplicates(interface: Interface) -> Iterator[tuple[ScalarSlot, ScalarSlot]]:
    """Yield (kept, removed) pairs of outputs that always store the same value, by slot number."""
    found: dict[Hashable, dict[Hashable, list[ScalarSlot]]] = {}
    coverage = _Coverage(interface)
    for slot in interface.in_order():
        if slot.blocked or slot.value is None or not (slot.input_loads or slot.output_loads):
            continue
        equal = found.setdefault(identity_of(slot.value), {})
        if not slot.allowed.deduplicate:
            if any(equal.values()):
                interface.obstruct(slot, StepObstacle(Step.DEDUPLICATION, "state", slot.allowed.reason))
            continue
        qualifier: Hashable = ("read by the producer", slot.is_patch)
        if slot.input_loads:
            qualifier = _qualifier(interface, slot)
        if qualifier is None:
            obstacle = StepObstacle(
                Step.DEDUPLICATION, "at-a-point", "its qualifier is unknown (interpolateAt*)"
            )
            interface.obstruct(slot, obstacle)
            continue
        same = equal.setdefault(qualifier, [])
        kept = next((other for other in same if coverage.covers(other, slot)), None)
        if kept is None:
            _record_obstacle(interface, coverage, slot, same, equal)
            same.append(slot)
        else:
            yield kept, slot


def _qualifier(interface: Interface, slot: ScalarSlot) -> Hashable | None:
    """Return the key that two varyings must share for one to replace the other; None if none may."""
    if slot.is_patch:
        return "patch"
    category = slot.category
    if category is None:
        return None
    if not interface.feeds_fragments:
        return PackingGroup.FLAT
    if category.group in (PackingGroup.INTERPOLATED, PackingGroup.SHADE_MODEL):
        barycentrics = [barycentric_of(load) for load in slot.input_loads]
        if not interface.options.flexible_interpolation and all(
            barycentric is None or is_at_a_point(barycentric) for barycentric in barycentrics
        ):
            # The qualifier of the varying is unknown, because all its loads are evaluated at a point.
            return None
        interpolation = None if interface.options.flexible_interpolation else category.interpolation
        return (category.group, interface.is_color(slot), interpolation)
    return (category.group, interface.is_color(slot))


def _record_obstacle(
    interface: Interface,
    coverage: _Coverage,
    slot: ScalarSlot,
    same: list[ScalarSlot],
    equal: dict[Hashable, list[ScalarSlot]],
) -> None:
    """Record why none of the outputs that store the same value replaces an output."""
    if same:
        message = f"{interface.origin(same[0])} has the same value, but the two are not stored together"
        interface.obstruct(slot, StepObstacle(Step.DEDUPLICATION, "not-always-stored", message))
        return
    others = [slot for slots in equal.values() for slot in slots]
    other = next((scalar_slot for scalar_slot in others if coverage.covers(scalar_slot, slot)), None)
    if other is not None:
        message = f"{interface.origin(other)} has the same value, but is read with another interpolation"
        unless = "equal values were interpolated alike"
        interface.obstruct(slot, StepObstacle(Step.DEDUPLICATION, "read-differently", message, unless))


def deduplicate(interface: Interface, numbers: Collection[int] | None = None) -> None:
    """Redirect the loads of the duplicates of these numbers, or of all, and remove their stores."""
    for kept, slot in list(duplicates(interface)):
        if numbers is None or slot.number in numbers:
            _deduplicate_slot(interface, kept, slot)


def _deduplicate_slot(interface: Interface, kept: ScalarSlot, slot: ScalarSlot) -> None:
    """Redirect all loads of `slot` to `kept`, and remove the stores of `slot`."""
    kept.forget_removed()
    slot.forget_removed()
    for loads, target, builder in (
        (slot.input_loads, kept.input_loads, interface.consumer_builder),
        (slot.output_loads, kept.output_loads, interface.producer_builder),
    ):
        model = next(iter((*target, *kept.stores)), None)
        for load in loads:
            move_access(load, kept.location, kept.number, builder)
            if model is not None:
                # Equal loads are merged only if their base is the same too.
                load.indices["base"] = model.int_index("base")
    if slot.input_loads:
        interface.progress.on_consumer(interface)
    if slot.output_loads:
        interface.progress.on_producer(interface)
    kept.input_loads += slot.input_loads
    kept.output_loads += slot.output_loads
    slot.input_loads, slot.output_loads = [], []
    if not kept.is_mediump:
        forbid_mediump(kept.accesses)
    message = f"{interface.origin(kept)} has the same value"
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, message)


class _Coverage:
    """Test of whether one output is written, with the same value, whenever another one is."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.shared = interface.producer_stage in (Stage.TESS_CTRL, Stage.MESH)
        self.ordered = self.shared or interface.producer_stage is Stage.GEOMETRY

    @cached_property
    def dominators(self) -> DominatorTree:
        return dominance(self.interface.producer_impl)

    @cached_property
    def post_dominators(self) -> DominatorTree:
        return post_dominance(self.interface.producer_impl)

    def covers(self, kept: ScalarSlot, slot: ScalarSlot) -> bool:
        if not self._all_accompanied(slot, kept):
            return False
        return self._stores_one_value(kept) or self._all_accompanied(kept, slot)

    def _all_accompanied(self, slot: ScalarSlot, other: ScalarSlot) -> bool:
        """Whether the other output is written whenever an output is."""
        return all(any(self._covers(intrinsic, store) for intrinsic in other.stores) for store in slot.stores)

    def _stores_one_value(self, slot: ScalarSlot) -> bool:
        """Whether every store that is executed writes the same value, so that one more changes nothing.

        An SSA value differs between the turns of a loop, and between the invocations that share outputs.
        """
        maker = None if slot.value is None else slot.value.instr
        if isinstance(maker, LoadConstInstr):
            return True
        return not self.shared and maker is not None and not is_in_loop(maker.block)

    def _covers(self, kept: IntrinsicInstr, store: IntrinsicInstr) -> bool:
        if kept.name != store.name or _is_back(kept) != _is_back(store):
            return False
        # Vertex and primitive indices, which are the sources between the value and the offset.
        for src, other in zip(kept.sources[1:-1], store.sources[1:-1], strict=True):
            if identity_of(src.ssa) != identity_of(other.ssa):
                return False
        if kept.block is None or store.block is None:
            return False
        if kept.block is store.block:
            return not self.ordered or not ordering_between(kept, store)
        if self.ordered:
            return False
        maker = store.sources[0].ssa.instr
        if maker is None or maker.block is None or is_in_loop(maker.block):
            return False
        dominated = self.dominators.dominates(kept.block, store.block)
        return dominated or self.post_dominators.dominates(kept.block, store.block)


def _is_back(store: IntrinsicInstr) -> bool:
    return store.io_semantics is not None and store.io_semantics.location in BACK_COLORS


def ordering_between(one: Instr, other: Instr) -> bool:
    """Whether an instruction between two others of a block makes outputs visible to other invocations."""
    return _ordering_after(one, other) or _ordering_after(other, one)


def _ordering_after(first: Instr, last: Instr) -> bool:
    crossed = False
    instr: Instr | None = first
    while instr is not None and instr is not last:
        if isinstance(instr, IntrinsicInstr):
            crossed = crossed or _orders(instr)
        instr = instr.next
    return instr is last and crossed


def _orders(instr: IntrinsicInstr) -> bool:
    effects = effects_of(instr)
    return "barrier" in effects.words or effects.reads(frozenset(("output",)))
