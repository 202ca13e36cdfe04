"""AMD's memory behind buffer descriptors, and pairs of words in shared memory.

Each descriptor value names a separate memory: aliasing of descriptors is not modelled. The index
offset, in units of a stride that only the descriptor contains, is part of that name as well, and so is the
lane of a swizzled access: such buffers are laid out so that lanes do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.effects import row_of_intrinsic, start_of
from nirls.ir.evaluate.atomics import operation_name
from nirls.ir.evaluate.compiler import Compiler
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.hashing import lane_hash, name_hash
from nirls.ir.evaluate.state import State, Step
from nirls.ir.evaluate.steps.buffers import (
    Spot,
    atomic_change,
    load_component,
    store_component,
    unsigned,
    untouched_words,
)
from nirls.ir.evaluate.steps.inputs import dest_shape
from nirls.ir.evaluate.value import stack
from nirls.ir.evaluate.wanted_types import wanted_base
from nirls.ir.model.access import IS_SWIZZLED_AMD
from nirls.ir.model.instructions import IntrinsicInstr

Array = NDArray[Any]
SpotOf = Callable[[State], Spot]


def _descriptor_spot(compiler: Compiler, instr: IntrinsicInstr, first: int) -> SpotOf:
    """Locate an access by its sources from `first`: descriptor, lane and scalar byte offset, index offset."""
    descriptor, *offsets, index = (compiler.read(src) for src in instr.sources[first : first + 4])
    base = instr.int_index("base")
    swizzled = bool(instr.int_index("access") & IS_SWIZZLED_AMD or instr.int_index("is_swizzled"))

    def spot(state: State) -> Spot:
        name, strides = descriptor(state), index(state)
        bytes_ = [offset(state) for offset in offsets]
        parts = [*name.bits, unsigned(strides)]
        if swizzled:
            parts.append(state.lane_numbers)
        memory = lane_hash(name_hash("buffer descriptor"), *parts)
        buffer = (np.broadcast_to(memory, (state.lanes,)) >> np.uint64(1)).astype(np.int64)
        address = sum((unsigned(offset) for offset in bytes_), np.full(state.lanes, base, np.int64))
        return Spot(("descriptor",), buffer, address, [name, strides, *bytes_])

    return spot


def _load_buffer(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return _load(compiler, instr, _descriptor_spot(compiler, instr, 0), None)


def _store_buffer(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return _store(compiler, instr, _descriptor_spot(compiler, instr, 1), None)


def _load(compiler: Compiler, instr: IntrinsicInstr, spot_of: SpotOf, places: list[int] | None) -> Step:
    """Load the components at byte offsets `places` from the spot; None for consecutive components."""
    width, bit_size = dest_shape(instr)
    base = wanted_base(instr.def_)
    write = compiler.write(instr)
    offsets = places or [number * max(bit_size // 8, 1) for number in range(width)]

    def step(state: State) -> None:
        spot = spot_of(state)
        parts = [load_component(state, spot, spot.address + offset, base, bit_size) for offset in offsets]
        write(state, spot.marks.marked(stack(parts)))

    return step


def _store(compiler: Compiler, instr: IntrinsicInstr, spot_of: SpotOf, places: list[int] | None) -> Step:
    read, mask = compiler.read(instr.sources[0]), instr.write_mask
    size = max(instr.sources[0].bit_size // 8, 1)
    offsets = places or [number * size for number in range(instr.sources[0].num_components)]

    def step(state: State) -> None:
        value, spot, active = read(state), spot_of(state), state.effective()
        state.note_lost_store(spot.marks, active)
        for number, offset in enumerate(offsets):
            if mask >> number & 1:
                store_component(state, spot, spot.address + offset, value.component(number), active)

    return step


def _pair(instr: IntrinsicInstr) -> list[int]:
    """Return the byte offsets of both halves from the address source."""
    starts = [start_of(access, instr) for access in row_of_intrinsic(instr.name).accesses]
    if None in starts:
        raise Unsupported(instr.name)
    return [start.constant for start in starts if start is not None]


def _shared_spot(compiler: Compiler, instr: IntrinsicInstr, source: int) -> SpotOf:
    read = compiler.read(instr.sources[source])

    def spot(state: State) -> Spot:
        where = read(state)
        return Spot(("shared",), state.launch.group, unsigned(where), [where])

    return spot


def _load_pair(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return _load(compiler, instr, _shared_spot(compiler, instr, 0), _pair(instr))


def _store_pair(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return _store(compiler, instr, _shared_spot(compiler, instr, 1), _pair(instr))


def _add_in_gds(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Atomic addition in global data share; the third source bounds the address."""
    data, where, _ = (compiler.read(src) for src in instr.sources)
    base, write = instr.int_index("base"), compiler.write(instr)
    operation = operation_name("", "iadd")

    def step(state: State) -> None:
        place, active = where(state), state.effective()
        address = unsigned(place) + base
        spot = Spot(("gds",), np.zeros(state.lanes, np.int64), address, [place])
        state.note_lost_store(spot.marks, active)
        words = spot.address >> np.int64(2)
        untouched = untouched_words(state, spot, words, "uint", 32)
        change = atomic_change(operation, [data(state)], 32)
        found = state.memory.update(spot.place, [spot.buffer, words], untouched, change, active)
        write(state, spot.marks.marked(found))

    return step


STEPS = {
    "load_buffer_amd": _load_buffer,
    "store_buffer_amd": _store_buffer,
    "load_shared2_amd": _load_pair,
    "store_shared2_amd": _store_pair,
    "gds_atomic_add_amd": _add_in_gds,
}
