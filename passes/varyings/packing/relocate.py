"""Execution of a placement: all accesses of a varying get a new slot, component and half."""

from __future__ import annotations

from nirls.ir.io.interpolation import (
    BY_SHADE_MODEL,
    barycentric_of,
    follows_shade_model,
    interpolation_of,
)
from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.slots import varying_slot
from nirls.passes.dead_code import remove_unread
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import (
    BACK_COLORS,
    HALVES,
    Category,
    Interface,
    PackingGroup,
    ScalarSlot,
)
from nirls.passes.varyings.motion.slot_accesses import indices_of, move_access
from nirls.passes.varyings.values.transfer import flush_infinities

_BFC0, _COL0 = varying_slot("BFC0"), varying_slot("COL0")


def relocate(interface: Interface, slot: ScalarSlot, number: int, target: Category | None) -> None:
    """Move a scalar slot to `number`; `target` is the category of the destination vec4.

    A convergent input gets the interpolation of the others in the vec4. All types become float, so that
    accesses of a vec4 can be merged into vectors.
    """
    progress = interface.progress
    for access in (*slot.stores, *slot.output_loads):
        if _place(interface, access, number, interface.producer_builder):
            progress.mark(interface.producer)
    for load in slot.input_loads:
        if _place(interface, load, number, interface.consumer_builder):
            progress.mark(interface.consumer)
    if slot.convergent and target is not None:
        if target.group is PackingGroup.FLAT:
            read_flat(interface, slot)
        elif target.interpolation is not None and not interface.options.flexible_interpolation:
            for load in slot.input_loads:
                _interpolate_as(interface, load, target)


def _place(interface: Interface, access: IntrinsicInstr, number: int, builder: Builder) -> bool:
    semantics = access.io_semantics
    if semantics is None:
        return False
    location = number // HALVES
    if interface.feeds_fragments and semantics.location in BACK_COLORS:
        location += _BFC0 - _COL0
    changed = move_access(access, location, number, builder)
    if not semantics.has("mediump"):
        changed = _make_float(access) or changed
    return changed


def _make_float(access: IntrinsicInstr) -> bool:
    name = "dest_type" if access.def_ is not None else "src_type"
    old = access.indices.get(name)
    if not isinstance(old, str):
        return False
    size = old[len(old.rstrip("0123456789")) :]
    access.indices[name] = f"float{size}"
    return access.indices[name] != old


def read_flat(interface: Interface, slot: ScalarSlot) -> None:
    """Turn the interpolated loads of a convergent input into flat ones."""
    turned = False
    for load in slot.input_loads:
        if load.name != "load_interpolated_input":
            continue
        coordinates = load.sources.pop(0)
        freed = coordinates.def_
        coordinates.clear()
        load.name, load.indices = "load_input", indices_of("load_input", load)
        if freed is not None:
            remove_unread([freed])
        turned = True
    if not turned:
        return
    interface.progress.on_consumer(interface)
    message = "read flat, because it is the same in all vertices of a primitive"
    interface.affect(slot, Step.PACKING, Fate.PACKED, message, gone=False)
    if not interface.options.preserves_nans(slot.bit_size):
        return
    for store in slot.stores:
        builder = interface.producer_builder.before_instr(store)
        store.sources[0].set_def(flush_infinities(store.sources[0].ssa, builder))
        interface.progress.mark(interface.producer)


def _interpolate_as(interface: Interface, load: IntrinsicInstr, target: Category) -> None:
    """Give a load of a convergent input the interpolation of the target vec4."""
    barycentric = barycentric_of(load)
    wanted = target.interpolation
    if barycentric is None or wanted is None or load.name != "load_interpolated_input":
        return
    by_shade_model = target.group is PackingGroup.SHADE_MODEL
    if interpolation_of(barycentric) is wanted and follows_shade_model(barycentric) >= by_shade_model:
        return
    mode = BY_SHADE_MODEL if by_shade_model else wanted.mode
    builder = interface.consumer_builder.before_instr(load)
    made = builder.load(wanted.barycentric, [], {"interp_mode": mode}, 2, 32)
    freed = load.sources[0].ssa
    load.sources[0].set_def(made)
    remove_unread([freed])
    interface.progress.mark(interface.consumer)
