"""Consumer inputs that may move into the producer with an expression, each considered alone (step 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.io.interpolation import barycentric_of, is_at_a_point
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.decisions import Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.motion.movability import ReadAs, ReadMode
from nirls.passes.varyings.motion.slot_accesses import stores_own_vertex
from nirls.passes.varyings.values.tess_interpolation import find_interpolation, has_triangle_weights

Refusal = tuple[str, str]
"""Code and message of an obstacle."""

PRODUCERS = frozenset((Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL))
"""The stages that expressions move into and out of."""


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
    found = []
    for slot in interface.in_order():
        if slot.blocked or not slot.input_loads:
            continue
        item = _movable_input(interface, slot)
        if isinstance(item, MovableInput):
            found.append(item)
        else:
            interface.obstruct(slot, StepObstacle(Step.BACKWARD, *item))
    return found


def blocks_of(inputs: Iterable[MovableInput]) -> dict[Instr, Block]:
    """Map the instruction that computes each input to the producer block that stores the input."""
    stores = ((item.load, item.slot.stores[0].block) for item in inputs)
    return {load: block for load, block in stores if block is not None}


def store_obstacle(slot: ScalarSlot) -> Refusal | None:
    """Return why the producer forbids code motion through a slot: it needs one store and no output loads."""
    if not slot.allowed.move_code:
        return "state", slot.allowed.reason
    if slot.output_loads:
        return "output-load", "the producer reads it back"
    if len(slot.stores) != 1:
        return "several-stores", f"it is stored {len(slot.stores)} times" if slot.stores else "never stored"
    return None


def _movable_input(interface: Interface, slot: ScalarSlot) -> MovableInput | Refusal:
    if interface.producer_stage not in PRODUCERS:
        return "stages", f"no code moves into a {interface.producer_stage.abbreviation}"
    refusal = store_obstacle(slot)
    if refusal is not None:
        return refusal
    if interface.consumer_stage is Stage.TESS_EVAL and not slot.is_patch:
        return _tess_input(interface, slot)
    if slot.stores[0].name != "store_output":
        return "store", f"@{slot.stores[0].name} stores it"
    if len(slot.input_loads) != 1:
        return "several-loads", f"it is loaded {len(slot.input_loads)} times"
    load = slot.input_loads[0]
    if load.name == "load_interpolated_input":
        read_as = _interpolated(interface, slot, load)
        return read_as if isinstance(read_as, tuple) else MovableInput(slot, load, read_as)
    if load.name == "load_input":
        is_patch = interface.consumer_stage is Stage.TESS_EVAL
        return MovableInput(slot, load, ReadMode.CONVERGENT if is_patch else ReadMode.FLAT)
    return "per-vertex", f"@{load.name} reads it for single vertices"


def _interpolated(interface: Interface, slot: ScalarSlot, load: IntrinsicInstr) -> ReadAs | Refusal:
    """Return how an interpolated load is read, or why nothing may move across the interpolation."""
    if slot.convergent:
        if interface.options.preserves_specials(slot.bit_size):
            return "float-controls", "NaNs or infinities must be preserved, and interpolation changes them"
        return ReadMode.CONVERGENT
    barycentric = barycentric_of(load)
    if barycentric is None or is_at_a_point(barycentric):
        return "at-a-point", "it is interpolated at an offset or a sample, not at fixed coordinates"
    if slot.category is None or slot.category.interpolation is None:
        return "unknown-interpolation", "its interpolation is unknown"
    return slot.category.interpolation


def _tess_input(interface: Interface, slot: ScalarSlot) -> MovableInput | Refusal:
    store = slot.stores[0]
    if interface.producer_stage is Stage.TESS_CTRL and not stores_own_vertex(store):
        return "other-vertex", "the TCS stores it for another vertex than its own"
    tess_interpolation = find_interpolation(slot.input_loads, has_triangle_weights(interface.consumer))
    if tess_interpolation is None:
        return "no-interpolation", "the TES does not interpolate all its vertices by gl_TessCoord"
    return MovableInput(slot, tess_interpolation.result, tess_interpolation.equation)
