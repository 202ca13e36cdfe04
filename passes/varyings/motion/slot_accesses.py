"""Changes of the accesses of a scalar slot: moves to another slot, and removal of unread stores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nirls.ir.io.access import captures, constant_offset
from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.tables import intrinsic
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import HALVES, Category, Interface, PackingGroup, ScalarSlot


def move_access(access: IntrinsicInstr, location: int, number: int, builder: Builder) -> bool:
    """Set the slot of a scalar access to `location` and the component and half of slot `number`.

    Its transform feedback capture moves along. Returns whether anything changed.
    """
    semantics = access.io_semantics
    if semantics is None:
        return False
    component, high = number % HALVES // 2, bool(number % 2)
    changed = _move_capture(access, component)
    placed = with_high_half(replace(semantics, location=location, num_slots=1), high)
    if placed != semantics:
        access.indices["io_semantics"] = placed
        changed = True
    if access.int_index("component") != component:
        access.indices["component"] = component
        changed = True
    return _fold_offset(access, builder) or changed


def forbid_mediump(accesses: Iterable[IntrinsicInstr]) -> None:
    """Remove `mediump` from accesses that now carry a value of full precision."""
    for access in accesses:
        semantics = access.io_semantics
        if semantics is not None and semantics.has("mediump"):
            flags = tuple(flag for flag in semantics.flags if flag != "mediump")
            access.indices["io_semantics"] = replace(semantics, flags=flags)


def with_high_half(semantics: IoSemantics, high: bool) -> IoSemantics:
    """Return the semantics with the `high_16bits` flag set or cleared."""
    if high:
        return semantics.with_flag("high_16bits")
    return replace(semantics, flags=tuple(flag for flag in semantics.flags if flag != "high_16bits"))


def indices_of(name: str, model: IntrinsicInstr) -> dict[str, IndexValue]:
    """Return the indices of an access `name` of the same varying as `model`, in printed order."""
    entry = intrinsic(name)
    given = model.indices
    names = list(given) if entry is None else entry.indices
    return {index: given.get(index, 0) for index in names if index in given or index == "range"}


def _fold_offset(access: IntrinsicInstr, builder: Builder) -> bool:
    """Set a constant offset to 0, because the location now includes it; return whether it changed."""
    if not constant_offset(access):
        return False
    offset = access.sources[-1]
    builder.before_instr(access)
    offset.set_def(builder.load_const([0], offset.bit_size))
    return True


def _move_capture(access: IntrinsicInstr, component: int) -> bool:
    """Move the capture of a component; components 0 and 1 are in `io_xfb`, 2 and 3 in `io_xfb2`."""
    old = access.int_index("component")
    if old == component or "io_xfb" not in access.indices or "io_xfb2" not in access.indices:
        return False
    captured: tuple[int, int, int] | None = None
    counted_from_0 = False
    for name, first in (("io_xfb", 0), ("io_xfb2", 2)):
        outputs = access.indices[name]
        if not isinstance(outputs, XfbOutputs):
            continue
        for start, count, buffer, offset in outputs.outputs:
            begin = start if start >= first else start + first
            counted_from_0 = counted_from_0 or (start < first)
            if begin <= old < begin + count:
                captured = (1, buffer, offset)
    if captured is None:
        return False
    shown = component - 2 if component >= 2 and counted_from_0 else component
    here = XfbOutputs(((shown, *captured),))
    access.indices["io_xfb"] = here if component < 2 else XfbOutputs()
    access.indices["io_xfb2"] = here if component >= 2 else XfbOutputs()
    return True


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
