"""AMD's memory behind buffer descriptors, and pairs of words in shared memory.

Each descriptor value names a separate memory: aliasing of descriptors is not modelled. The index
offset, in units of a stride that only the descriptor contains, is part of that name as well, and so is the
lane of a swizzled access: such buffers are laid out so that lanes do not overlap.
"""

from __future__ import annotations

import numpy as np

from nirls.ir.effects import row_of_intrinsic, start_of
from nirls.ir.model.access import IS_SWIZZLED_AMD
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.atomics import atomic_step
from nirls.verification.evaluate.steps.buffers import load_step, store_step
from nirls.verification.evaluate.steps.memory_words import Spot, SpotOf, unsigned
from nirls.verification.evaluate.surroundings.hashing import lane_hash, name_hash
from nirls.verification.evaluate.values.errors import Unsupported


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
    return load_step(compiler, instr, _descriptor_spot(compiler, instr, 0))


def _store_buffer(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return store_step(compiler, instr, _descriptor_spot(compiler, instr, 1))


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
    return load_step(compiler, instr, _shared_spot(compiler, instr, 0), _pair(instr))


def _store_pair(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    return store_step(compiler, instr, _shared_spot(compiler, instr, 1), _pair(instr))


def _add_in_gds(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Atomic addition in global data share; the third source bounds the address."""
    data, address, _ = instr.sources
    read, base = compiler.read(address), instr.int_index("base")

    def spot(state: State) -> Spot:
        place = read(state)
        return Spot(("gds",), np.zeros(state.lanes, np.int64), unsigned(place) + base, [place])

    return atomic_step(compiler, instr, "iadd", spot, [data])


STEPS = {
    "load_buffer_amd": _load_buffer,
    "store_buffer_amd": _store_buffer,
    "load_shared2_amd": _load_pair,
    "store_shared2_amd": _store_pair,
    "gds_atomic_add_amd": _add_in_gds,
}
