"""Memory accessed by address: UBO, SSBO, shared, scratch, global, push constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nirls.ir.effects import row_of_intrinsic, start_of
from nirls.ir.effects.formula import Linear
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.atomics import atomic_names, atomic_step
from nirls.verification.evaluate.steps.descriptors import (
    blocks_of_variable_index,
    place_in_stage,
    place_of_block,
    undefined_outside,
)
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.memory_words import (
    Spot,
    SpotOf,
    load_component,
    prepare_words,
    store_component,
    unsigned,
)
from nirls.verification.evaluate.storage.atomics import operation_name
from nirls.verification.evaluate.storage.memory import Place
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value, stack
from nirls.verification.evaluate.values.wanted_types import wanted_base

_VEC4_ADDRESSES = np.int64((16 << 32) - 1)
_OFFSET_LAST = "_amd"
_OF_A_STAGE = ("uniform", "constant")
"""Loose uniforms that each stage packs for itself, and the constant data of a shader."""

_WRAPPING = ("push_const", "kernel_input", "constant")
"""Memory without an access that is defined outside of it, so that nothing tells whether an address overflows:
`nir_opt_load_store_vectorize` joins loads at a sum of 32 bits and at an offset from it."""

_WRAPPING_FORMS = "_ir3"
"""End of the names of accesses whose base the hardware adds in 32 bits (Mesa: `allow_offset_wrap`)."""


def _address(value: Value) -> Array:
    """Return a 64-bit address, given as one component or two 32-bit halves."""
    if len(value.bits) > 1 and value.bit_size == 32:
        high = value.bits[1].astype(np.uint64) << np.uint64(32)
        return (value.bits[0].astype(np.uint64) | high).view(np.int64)
    return unsigned(value)


def _spot_of(space: str, compiler: Compiler, instr: IntrinsicInstr, first: int) -> SpotOf:
    """Compile the location of an access to a space, given the number of the first address source."""
    base = instr.int_index("base")
    place: Place = (space,)
    if space in ("ubo", "ssbo"):
        buffer = compiler.read(instr.sources[first])
        address_of = _address_reader(compiler, instr, first + 1)
        blocks = blocks_of_variable_index(compiler, instr, instr.sources[first], space)
        place_of = place_of_block(instr, instr.sources[first], space)

        def in_buffer(state: State) -> Spot:
            which = buffer(state)
            if blocks is not None:
                which = undefined_outside(which, blocks)
            address, values = address_of(state)
            return Spot(place_of(state), unsigned(which), address, [which, *values])

        return in_buffer
    if space == "global":
        read = compiler.read(instr.sources[first])
        # `_offset` and AMD forms add their last source, an unsigned 32-bit offset, to the address.
        has_offset = "offset" in instr.name or instr.name.endswith(_OFFSET_LAST)
        extra = [compiler.read(instr.sources[-1])] if has_offset else []
        shift = np.int64(instr.int_index("offset_shift"))

        def in_global(state: State) -> Spot:
            where = read(state)
            more = [reader(state) for reader in extra]
            address = _address(where) + base
            for value in more:
                address = address + (unsigned(value) << shift)
            return Spot(place, np.zeros(state.lanes, np.int64), address, [where, *more])

        return in_global

    address_of = _address_reader(compiler, instr, first)
    wraps = space in _WRAPPING or instr.name.endswith(_WRAPPING_FORMS)
    place_of_stage = place_in_stage(instr, space) if space in _OF_A_STAGE else None

    def owned(state: State) -> Spot:
        if space == "scratch":
            owner: Array = state.lane_numbers
        elif space in ("shared", "payload"):
            owner = state.launch.group
        else:
            owner = np.zeros(state.lanes, np.int64)
        address, values = address_of(state)
        found = place if place_of_stage is None else place_of_stage(state)
        return Spot(found, owner, address, values, wraps=wraps)

    return owned


def _address_reader(
    compiler: Compiler, instr: IntrinsicInstr, source: int
) -> Callable[[State], tuple[Array, list[Value]]]:
    """Compile the byte address of an access on each lane; also returns the values it is computed from.

    The formula comes from the effects table; without one the address is a source. Raises `Unsupported` if
    parts of the address have an unknown meaning. The number of a vec4 has 32 bits, that of the sum of the
    offset and the base too: `nir_opt_offsets` folds a sum into the base that may overflow.
    """
    start = start_of(row_of_intrinsic(instr.name).accesses[0], instr)
    if start is None:
        if source >= len(instr.sources) or instr.int_index("base") or instr.int_index("offset_shift"):
            raise Unsupported(f"the address of {instr.name}")
        start = Linear(0, {instr.sources[source]: 1})
    constant, is_in_vec4s = start.constant, instr.name == "load_ubo_vec4"
    terms = [(compiler.read(src), factor) for src, factor in start.factors.items() if isinstance(src, Src)]

    def address(state: State) -> tuple[Array, list[Value]]:
        values = [read(state) for read, _ in terms]
        total = np.full(state.lanes, constant, np.int64)
        for value, (_, factor) in zip(values, terms, strict=True):
            total = total + unsigned(value) * factor
        return (total & _VEC4_ADDRESSES if is_in_vec4s else total), values

    return address


def _load(space: str) -> StepMaker:
    return lambda compiler, instr: load_step(compiler, instr, _spot_of(space, compiler, instr, 0))


def load_step(
    compiler: Compiler, instr: IntrinsicInstr, spot_of: SpotOf, offsets: Sequence[int] | None = None
) -> Step:
    """Compile the load of components at byte offsets from a spot; None for consecutive components."""
    width, bit_size = dest_shape(instr)
    base = wanted_base(instr.def_)
    write = compiler.write(instr)
    starts = offsets or range(0, width * max(bit_size // 8, 1), max(bit_size // 8, 1))

    def step(state: State) -> None:
        spot = spot_of(state)
        if offsets is None:
            prepare_words(state, spot, base, bit_size, width)
        parts = [load_component(state, spot, spot.at(start), base, bit_size) for start in starts]
        write(state, spot.marks.marked(stack(parts)))

    return step


def _store(space: str) -> StepMaker:
    return lambda compiler, instr: store_step(compiler, instr, _spot_of(space, compiler, instr, 1))


def store_step(
    compiler: Compiler, instr: IntrinsicInstr, spot_of: SpotOf, offsets: Sequence[int] | None = None
) -> Step:
    """Compile the store of components at byte offsets from a spot; None for consecutive components."""
    stored, mask = instr.sources[0], instr.write_mask
    read, size = compiler.read(stored), max(stored.bit_size // 8, 1)
    starts = offsets or range(0, stored.num_components * size, size)

    def step(state: State) -> None:
        value, spot, active = read(state), spot_of(state), state.masks.effective()
        state.masks.note_lost_store(spot.marks, active, is_private=spot.place[0] == "scratch")
        for number, start in enumerate(starts):
            if mask >> number & 1:
                store_component(state, spot, spot.at(start), value.component(number), active)

    return step


def _atomic(space: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        operation = operation_name(instr.name, instr.indices.get("atomic_op"))
        first = 2 if space in ("ubo", "ssbo") else 1
        behind = len(instr.sources) - instr.name.endswith((_OFFSET_LAST, "_ir3"))
        data = instr.sources[first:behind]
        return atomic_step(compiler, instr, operation, _spot_of(space, compiler, instr, 0), data)

    return make


def _make_steps() -> dict[str, StepMaker]:
    steps: dict[str, StepMaker] = {
        "load_ubo": _load("ubo"),
        "load_ubo_vec4": _load("ubo"),
        "load_ssbo": _load("ssbo"),
        "store_ssbo": _store("ssbo"),
        "load_shared": _load("shared"),
        "store_shared": _store("shared"),
        "load_scratch": _load("scratch"),
        "store_scratch": _store("scratch"),
        "load_task_payload": _load("payload"),
        "store_task_payload": _store("payload"),
        "load_global": _load("global"),
        "load_global_constant": _load("global"),
        "load_global_constant_offset": _load("global"),
        "load_global_2x32": _load("global"),
        "load_global_offset": _load("global"),
        "load_global_constant_uniform_block_intel": _load("global"),
        "load_shared_ir3": _load("shared"),
        "load_shared_uniform_block_intel": _load("shared"),
        "load_ssbo_ir3": _load("ssbo"),
        "load_ssbo_uniform_block_intel": _load("ssbo"),
        "load_ubo_uniform_block_intel": _load("ubo"),
        "store_shared_ir3": _store("shared"),
        "store_ssbo_ir3": _store("ssbo"),
        "load_smem_amd": _load("global"),
        "load_global_amd": _load("global"),
        "store_global_amd": _store("global"),
        "store_global": _store("global"),
        "store_global_2x32": _store("global"),
        "store_global_offset": _store("global"),
        "load_push_constant": _load("push_const"),
        "load_uniform": _load("uniform"),
        "load_constant": _load("constant"),
        "load_kernel_input": _load("kernel_input"),
    }
    for space in ("ssbo", "shared", "global", "task_payload"):
        for name in atomic_names(space):
            steps[name] = _atomic("payload" if space == "task_payload" else space)
    return steps


STEPS = _make_steps()
