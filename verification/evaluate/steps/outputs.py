"""Output stores and loads, and transform feedback."""

from __future__ import annotations

import numpy as np

from nirls.ir.io.access import captures, stream_of
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.io_places import IoPlace, io_place
from nirls.verification.evaluate.surroundings.result import OutputKey, XfbOutput
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, lane_index, select, stack, undefined_value


def store_component(
    state: State,
    slot: int | str,
    shift: Array,
    component: int,
    high: bool,
    value: Value,
    vertex: Array | None,
    active: Array,
    flags: frozenset[str] = frozenset(),
) -> None:
    """Store one component of the given lanes at slots that may differ from lane to lane."""
    if not active.any():
        return
    value = state.masks.stored(value)
    first = shift[0]
    if (shift == first).all():
        key = OutputKey(moved_slot(slot, int(first)), component, high)
        state.record.note_store(key, flags)
        state.outputs.store(key, value, active, vertex)
        return
    for offset in np.unique(shift[active]):
        key = OutputKey(moved_slot(slot, int(offset)), component, high)
        state.record.note_store(key, flags)
        state.outputs.store(key, value, active & (shift == offset), vertex)


def moved_slot(slot: int | str, by: int) -> int | str:
    """Return a slot offset by a number of slots."""
    if isinstance(slot, int):
        return slot + by
    return f"{slot}[{by}]" if by else slot


def load_component(
    state: State,
    slot: int | str,
    shift: Array,
    component: int,
    high: bool,
    bit_size: int,
    vertex: Array | None,
) -> Value:
    """Load one component from slots that may differ from lane to lane."""
    result: Value | None = None
    for offset in np.unique(shift[state.masks.active]):
        key = OutputKey(moved_slot(slot, int(offset)), component, high)
        value = state.outputs.load(key, bit_size, state.lanes, vertex, state.masks.active)
        result = value if result is None else select(shift == offset, value, result)
    return result or undefined_value(1, bit_size, state.lanes)


def _xfb_of(instr: IntrinsicInstr, place: IoPlace) -> list[XfbOutput]:
    width = max(instr.sources[0].bit_size // 32, 1)
    first = instr.int_index("component")
    return [
        XfbOutput(
            capture.buffer,
            capture.offset,
            OutputKey(place.slot, capture.component, place.high_16bits),
            stream_of(instr, (capture.component - first) // width),
        )
        for capture in captures(instr)
    ]


def _store(vertex_source: int | None) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        place = io_place(instr)
        value_of = compiler.read(instr.sources[0])
        vertex_of = None if vertex_source is None else compiler.read(instr.sources[vertex_source])
        offset_of = compiler.read(instr.sources[1 if vertex_source is None else vertex_source + 1])
        width, bit_size = instr.sources[0].num_components, instr.sources[0].bit_size
        mask = instr.write_mask
        captured = _xfb_of(instr, place)
        semantics = instr.io_semantics
        flags = frozenset(() if semantics is None else semantics.flags)

        def step(state: State) -> None:
            value = value_of(state)
            offset = offset_of(state)
            vertex = None if vertex_of is None else vertex_of(state)
            state.record.xfb.update(captured)
            active = state.masks.effective() & ~state.outputs.closed
            state.masks.note_lost_store(_marks_of(offset, vertex), active)
            for number in range(width):
                if mask >> number & 1:
                    slot, component = place.at(number, bit_size)
                    store_component(
                        state,
                        slot,
                        lane_index(offset),
                        component,
                        place.high_16bits,
                        value.component(number),
                        None if vertex is None else lane_index(vertex),
                        active,
                        flags,
                    )

        return step

    return make


def _marks_of(offset: Value, vertex: Value | None) -> Marks:
    """Return the marks of the indices of an access."""
    return Marks.of(offset) if vertex is None else Marks.of(offset, vertex)


def _load(vertex_source: int | None) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        place = io_place(instr)
        vertex_of = None if vertex_source is None else compiler.read(instr.sources[vertex_source])
        offset_of = compiler.read(instr.sources[0 if vertex_source is None else vertex_source + 1])
        width, bit_size = dest_shape(instr)
        write = compiler.write(instr)
        reads_framebuffer = instr.io_semantics is not None and instr.io_semantics.has("fbfetch")

        def step(state: State) -> None:
            if reads_framebuffer:
                write(state, _framebuffer(state, place, width, bit_size))
                return
            offset = offset_of(state)
            vertex = None if vertex_of is None else vertex_of(state)
            shift, number_of_vertex = lane_index(offset), None if vertex is None else lane_index(vertex)
            parts = []
            for number in range(width):
                slot, component = place.at(number, bit_size)
                high = place.high_16bits
                parts.append(load_component(state, slot, shift, component, high, bit_size, number_of_vertex))
            write(state, _marks_of(offset, vertex).marked(stack(parts)))

        return step

    return make


def _framebuffer(state: State, place: IoPlace, width: int, bit_size: int) -> Value:
    lanes = np.arange(state.lanes)
    rows = [
        state.environment.numbers(
            state.environment.hash_of(("framebuffer", place.slot, number), lanes), place.base, bit_size
        )
        for number in range(width)
    ]
    return Value(np.stack(rows), bit_size)


STEPS = {
    "store_output": _store(None),
    "store_per_vertex_output": _store(1),
    "store_per_primitive_output": _store(1),
    "store_per_view_output": _store(1),
    "load_output": _load(None),
    "load_per_vertex_output": _load(0),
    "load_per_primitive_output": _load(0),
    "load_per_view_output": _load(0),
}
