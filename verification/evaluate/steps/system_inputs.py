"""Inputs that are system values: what the hardware makes has one value, whichever way a shader reads it."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.io_places import io_place
from nirls.verification.evaluate.steps.system_values import system_value
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.values.value import Value, stack, undefined_value

_OF_FRAGMENTS: Mapping[int, tuple[str, int]] = {
    varying_slot("POS"): ("frag_coord", 4),
    varying_slot("FACE"): ("front_face", 1),
    varying_slot("PNTC"): ("point_coord", 2),
    varying_slot("VIEW_INDEX"): ("view_index", 1),
    varying_slot("PRIMITIVE_ID"): ("primitive_id", 1),
}
_OF_FRAGMENTS_ALONE: Mapping[int, tuple[str, int]] = {varying_slot("LAYER"): ("layer_id", 1)}
"""Those that the stage in front may write."""

_OF_PRIMITIVES: Mapping[int, tuple[str, int]] = {varying_slot("PRIMITIVE_ID"): ("primitive_id", 1)}
_WITH_PRIMITIVES = frozenset((Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY))
_LOADS = frozenset(("load_input", "load_interpolated_input"))


def system_input(
    state: State, slot: int | str, first: int, width: int, bit_size: int, base: str
) -> Value | None:
    """Return components of an input, from `first` on, if it is a system value; None for any other.

    The side of a primitive is a boolean, or as a float 1 or -1.
    """
    known = _system_value_of(state, slot)
    if known is None:
        return None
    name, components = known
    if name == "front_face" and base == "float" and bit_size > 1:
        name = "front_face_fsign"
    value = system_value(state, name, components, bit_size)
    rows = [
        value.component(row) if row < components else undefined_value(1, bit_size, state.lanes)
        for row in range(first, first + width)
    ]
    return stack(rows)


def _system_value_of(state: State, slot: int | str) -> tuple[str, int] | None:
    stage = state.launch.stage
    if not isinstance(slot, int) or stage not in (*_WITH_PRIMITIVES, Stage.FRAGMENT):
        return None
    if stage is not Stage.FRAGMENT:
        return _OF_PRIMITIVES.get(slot)
    is_alone = isinstance(state.inputs, EnvironmentInputs)
    return _OF_FRAGMENTS.get(slot) or (_OF_FRAGMENTS_ALONE.get(slot) if is_alone else None)


def with_system_inputs(compiler: Compiler, instr: IntrinsicInstr, step: Step) -> Step:
    """Return a step that reads a system value if the input is one, else runs `step`."""
    if instr.name not in _LOADS or instr.io_semantics is None:
        return step
    place, write = io_place(instr), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def load(state: State) -> None:
        value = system_input(state, place.slot, place.component, width, bit_size, place.base)
        if value is None:
            step(state)
        else:
            write(state, value)

    return load
