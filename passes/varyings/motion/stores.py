"""Removal of the stores of a varying that is no longer read as one."""

from __future__ import annotations

from nirls.ir.io.access import captures
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import Category, Interface, PackingGroup, ScalarSlot


def retire_stores(interface: Interface, slot: ScalarSlot, step: Step, fate: Fate, message: str) -> None:
    """Remove the stores of a slot that has lost its input loads in a step.

    Stores that transform feedback, fixed hardware or the producer itself still read stay and get the
    `no_varying` flag; the group of the slot is then NO_VARYING or CAPTURED_ONLY. `fate` and `message` are
    recorded in the journal.
    """
    kept: list[IntrinsicInstr] = []
    for store in slot.stores:
        if slot.output_loads or is_captured(store) or interface.feeds_fixed_hardware(store):
            demote(interface, store)
            kept.append(store)
        else:
            remove_with_its_sources(store)
            interface.progress.on_producer(interface)
    slot.stores = kept
    interface.affect(slot, step, fate, message, gone=not kept)
    if kept:
        reader = "transform feedback" if any(map(is_captured, kept)) else "fixed hardware"
        if slot.output_loads:
            reader = f"the {interface.producer_stage.abbreviation} itself"
        interface.affect(slot, Step.DEAD, Fate.NO_VARYING, f"only {reader} reads it", gone=False)
    slot.value = None
    slot.convergent = False
    group = PackingGroup.NO_VARYING if slot.output_loads else PackingGroup.CAPTURED_ONLY
    slot.category = Category(group, None, slot.bit_size) if kept else None


def demote(interface: Interface, store: IntrinsicInstr) -> None:
    """Set the `no_varying` flag of a store."""
    semantics = store.io_semantics
    if semantics is not None and not semantics.has("no_varying"):
        store.indices["io_semantics"] = semantics.with_flag("no_varying")
        interface.progress.mark(interface.producer)


def stores_own_vertex(store: IntrinsicInstr) -> bool:
    """Whether an invocation of a control shader stores to the vertex with its own number."""
    if store.name != "store_per_vertex_output":
        return False
    maker = store.sources[1].def_instr
    return isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id"


def is_captured(store: IntrinsicInstr) -> bool:
    """Whether transform feedback captures the value of a scalar store."""
    component = store.int_index("component")
    return any(capture.component == component for capture in captures(store))
