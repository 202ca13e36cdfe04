"""Consumer inputs that may move into the producer with an expression, each considered alone (step 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.io.interpolation import barycentric_of, is_at_a_point
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.movability import ReadAs, Reading
from nirls.passes.varyings.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.tess_interpolation import find_interpolation, has_triangle_weights

_PRODUCERS = frozenset((Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL))


@dataclass(frozen=True, slots=True, eq=False)
class MovableInput:
    """An input that may be part of a moved expression.

    `load` is the instruction that computes its value: the load, or the sum that interpolates it in the
    shader.
    """

    slot: ScalarSlot
    load: Instr
    read_as: ReadAs


def movable_inputs(interface: Interface) -> list[MovableInput]:
    """Return the inputs that meet the conditions on a single input, by slot.

    These have one store, no output loads, and either one load or the loads of one interpolation written in
    the shader. Inputs that are read per vertex without interpolation are excluded (see
    `per_vertex_motion`).
    """
    if interface.producer_stage not in _PRODUCERS:
        return []
    found = []
    for slot in interface.in_order():
        if not is_stored_once(slot) or not slot.input_loads:
            continue
        item = _movable_input(interface, slot)
        if item is not None:
            found.append(item)
    return found


def blocks_of(inputs: Iterable[MovableInput]) -> dict[Instr, Block]:
    """Map the instruction that computes each input to the producer block that stores the input."""
    stores = ((item.load, item.slot.stores[0].block) for item in inputs)
    return {load: block for load, block in stores if block is not None}


def is_stored_once(slot: ScalarSlot) -> bool:
    """Whether the producer allows code motion through a slot: one store and no output loads."""
    if slot.blocked or not slot.allowed.move_code or slot.value is None or slot.output_loads:
        return False
    return len(slot.stores) == 1


def _movable_input(interface: Interface, slot: ScalarSlot) -> MovableInput | None:
    if interface.consumer_stage is Stage.TESS_EVAL and not slot.is_patch:
        return _tess_input(interface, slot)
    if len(slot.input_loads) != 1 or slot.stores[0].name != "store_output":
        return None
    load = slot.input_loads[0]
    read_as: ReadAs
    if load.name == "load_interpolated_input":
        found = _interpolated(interface, slot, load)
        if found is None:
            return None
        read_as = found
    elif load.name == "load_input":
        read_as = Reading.FLAT
        if interface.consumer_stage is Stage.TESS_EVAL:
            read_as = Reading.CONVERGENT
    else:
        return None
    return MovableInput(slot, load, read_as)


def _interpolated(interface: Interface, slot: ScalarSlot, load: IntrinsicInstr) -> ReadAs | None:
    """Return how an interpolated load is read; None if nothing may move across the interpolation."""
    if slot.convergent:
        return None if interface.options.preserves_specials(slot.bit_size) else Reading.CONVERGENT
    barycentric = barycentric_of(load)
    if barycentric is None or is_at_a_point(barycentric) or slot.category is None:
        return None
    return slot.category.interpolation


def _tess_input(interface: Interface, slot: ScalarSlot) -> MovableInput | None:
    store = slot.stores[0]
    if interface.producer_stage is Stage.TESS_CTRL and not _stores_own_vertex(store):
        return None
    found = find_interpolation(slot.input_loads, has_triangle_weights(interface.consumer))
    return None if found is None else MovableInput(slot, found.result, found.equation)


def _stores_own_vertex(store: IntrinsicInstr) -> bool:
    if store.name != "store_per_vertex_output" or store.sources[1].def_ is None:
        return False
    maker = store.sources[1].def_.instr
    return isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id"
