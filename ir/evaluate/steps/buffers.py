"""Memory accessed by address: UBO, SSBO, shared, scratch, global, push constants; and descriptors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from nirls.ir.analysis.buffer_blocks import HANDLES
from nirls.ir.effects import row_of_intrinsic, start_of
from nirls.ir.effects.formula import Linear
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.arrays import Array
from nirls.ir.evaluate.atomics import (
    NAME_TAILS,
    combine,
    is_float,
    is_swap_with_compare,
    operation_name,
)
from nirls.ir.evaluate.compiler import Compiler, StepMaker, step_of
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.lane_accesses import LaneAccesses
from nirls.ir.evaluate.marks import Marks
from nirls.ir.evaluate.memory import Place, Update, cell_of
from nirls.ir.evaluate.pointer import Pointer, variable_name
from nirls.ir.evaluate.result import MemoryCell
from nirls.ir.evaluate.state import State, Step
from nirls.ir.evaluate.steps.derefs import pointer_reader
from nirls.ir.evaluate.steps.inputs import dest_shape
from nirls.ir.evaluate.value import Value, either, lane_index, stack
from nirls.ir.evaluate.variables import is_buffer, load, scalar_cell, store
from nirls.ir.evaluate.wanted_types import wanted_base
from nirls.ir.model.access import VS_BINDINGS
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Src
from nirls.ir.tables import intrinsic

_WORD = np.int64(2)
_ALL_BYTES = 0xF
"""The mask of all bytes of a word."""
_OFFSET_LAST = "_amd"
_OF_A_STAGE = ("uniform", "constant")
"""Loose uniforms that each stage packs for itself, and the constant data of a shader."""


class Spot:
    """Location of an access: the place, the number of its buffer, group or lane, the byte address.

    `marks` are those of the sources that the location is computed from.
    """

    __slots__ = ("address", "buffer", "marks", "place")

    def __init__(self, place: Place, buffer: Array, address: Array, sources: list[Value]) -> None:
        self.place = place
        self.buffer = buffer
        self.address = address
        self.marks = Marks.of(*sources)


SpotOf = Callable[[State], Spot]

_DESCRIPTOR_WORDS = 4


def unsigned(value: Value) -> Array:
    """Return a scalar as an unsigned address, one per lane."""
    return value.bits[0].astype(np.uint64).view(np.int64)


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
        blocks = _blocks_of_variable_index(compiler, instr, instr.sources[first], space)
        place_of = place_of_block(instr, instr.sources[first], space)

        def in_buffer(state: State) -> Spot:
            which = buffer(state)
            if blocks is not None:
                which = _undefined_outside(which, blocks)
            address, values = address_of(state)
            return Spot(place_of(state), unsigned(which), address, [which, *values])

        return in_buffer
    if space == "global":
        read = compiler.read(instr.sources[first])
        # `_offset` and AMD forms add their last source, an unsigned 32-bit offset, to the address.
        has_offset = "offset" in instr.name or instr.name.endswith(_OFFSET_LAST)
        extra = [compiler.read(instr.sources[-1])] if has_offset else []

        def in_global(state: State) -> Spot:
            where = read(state)
            more = [reader(state) for reader in extra]
            address = _address(where) + base
            for value in more:
                address = address + unsigned(value)
            return Spot(place, np.zeros(state.lanes, np.int64), address, [where, *more])

        return in_global

    address_of = _address_reader(compiler, instr, first)
    place_in_stage = _place_in_stage(instr, space) if space in _OF_A_STAGE else None

    def owned(state: State) -> Spot:
        if space == "scratch":
            owner: Array = state.lane_numbers
        elif space in ("shared", "payload"):
            owner = state.launch.group
        else:
            owner = np.zeros(state.lanes, np.int64)
        address, values = address_of(state)
        return Spot(place if place_in_stage is None else place_in_stage(state), owner, address, values)

    return owned


def _address_reader(
    compiler: Compiler, instr: IntrinsicInstr, source: int
) -> Callable[[State], tuple[Array, list[Value]]]:
    """Compile the byte address of an access on each lane; also returns the values it is computed from.

    The formula comes from the effects table; without one the address is a source. Raises `Unsupported` if
    parts of the address have an unknown meaning.
    """
    start = start_of(row_of_intrinsic(instr.name).accesses[0], instr)
    if start is None:
        if source >= len(instr.sources) or instr.int_index("base") or instr.int_index("offset_shift"):
            raise Unsupported(f"the address of {instr.name}")
        start = Linear(0, {instr.sources[source]: 1})
    constant = start.constant
    terms = [(compiler.read(src), factor) for src, factor in start.factors.items() if isinstance(src, Src)]

    def address(state: State) -> tuple[Array, list[Value]]:
        values = [read(state) for read, _ in terms]
        total = np.full(state.lanes, constant, np.int64)
        for value, (_, factor) in zip(values, terms, strict=True):
            total = total + unsigned(value) * factor
        return total, values

    return address


def place_of_block(instr: IntrinsicInstr, index: Src, space: str) -> Callable[[State], Place]:
    """Compile the place of a block. Each stage numbers its own UBOs, but not those with a descriptor."""
    if space != "ubo" or not _is_number(index):
        return lambda state: (space,)
    return _place_in_stage(instr, space)


def _place_in_stage(instr: IntrinsicInstr, space: str) -> Callable[[State], Place]:
    """Compile the place of what each stage has alone; a merged shader has that of its vertices too."""
    of_vertices = bool(instr.int_index("access") & VS_BINDINGS)
    return lambda state: state.memory.numbered(space, Stage.VERTEX if of_vertices else state.launch.stage)


def _is_number(index: Src) -> bool:
    """Return whether a buffer is given by a number that is computed of no descriptor."""
    if index.num_components != 1:
        return False
    seen: set[Instr] = set()
    work = [index.def_instr]
    while work:
        maker = work.pop()
        if isinstance(maker, IntrinsicInstr) and maker.name in HANDLES:
            return False
        if isinstance(maker, AluInstr | PhiInstr) and maker not in seen:
            seen.add(maker)
            work += [src.def_instr for src in maker.srcs()]
    return True


def _blocks_of_variable_index(
    compiler: Compiler, instr: IntrinsicInstr, index: Src, space: str
) -> range | None:
    """Return the valid block indices for an index that is not constant: others are undefined behaviour.

    The dump of a merged control shader does not contain the block count of its vertex shader.
    """
    if index.def_ is None or isinstance(index.def_instr, LoadConstInstr) or is_descriptor(index):
        return None
    if instr.int_index("access") & VS_BINDINGS:
        return None
    return compiler.possible_blocks(space)


def is_descriptor(buffer: Src) -> bool:
    """Return whether a buffer is given by its descriptor, as AMD drivers do, not by its index."""
    return buffer.def_ is not None and buffer.def_.num_components >= _DESCRIPTOR_WORDS


def _undefined_outside(index: Value, blocks: range) -> Value:
    numbers = unsigned(index)
    outside = ((numbers < blocks.start) | (numbers >= blocks.stop))[None]
    if not outside.any():
        return index
    return Value(index.bits, index.bit_size, either(index.poison, outside), index.error, index.fragile)


def untouched_words(state: State, spot: Spot, words: Array, base: str, bit_size: int) -> Value:
    """Return the initial 32-bit words of memory: generated, or undefined (`Memory.starts_undefined`)."""
    space = spot.place[0]
    if state.memory.starts_undefined(space, state.launch.stage):
        bits = np.zeros((1, state.lanes), np.uint32)
        return Value(bits, 32, np.ones((1, state.lanes), np.bool_))
    environment = state.environment
    buffer = np.broadcast_to(spot.buffer, words.shape)
    if (words == words[0]).all() and (buffer == buffer[0]).all():
        word = environment.word(str(space), int(buffer[0]), int(words[0]), base, bit_size)
        return Value(environment.on_lanes(word[None], state.lanes), 32)
    key = ("words", space, buffer.tobytes(), words.tobytes(), base, bit_size, state.active.tobytes())
    found = environment.results.get(key)
    if found is not None:
        return found
    lanes = np.nonzero(state.active)[0]
    result = np.zeros((1, state.lanes), np.uint32)
    result[0, lanes] = environment.words_at(str(space), buffer[lanes], words[lanes], lanes, base, bit_size)
    return environment.results.keep(key, Value(result, 32))


def _prepare_words(state: State, spot: Spot, base: str, bit_size: int, width: int) -> None:
    """Generate all words of a vector in one batch if the address is uniform."""
    if bit_size not in (32, 64) or state.memory.starts_undefined(spot.place[0], state.launch.stage):
        return
    address = spot.address
    if (address == address[0]).all() and (spot.buffer == spot.buffer[0]).all():
        first, buffer = int(address[0]) >> 2, int(spot.buffer[0])
        words = range(first, first + width * (bit_size // 32))
        state.environment.make_words(str(spot.place[0]), ((buffer, word) for word in words), base, bit_size)


def load_words(
    state: State, spot: Spot, words: Array, base: str, bit_size: int, wanted: Array | None = None
) -> Value:
    """Load 32-bit words of memory, or the bytes of them in the masks `wanted`."""
    untouched = untouched_words(state, spot, words, base, bit_size)
    if state.memory.is_untouched(spot.place):
        return untouched
    return state.memory.load(spot.place, [spot.buffer, words], untouched, state.active, wanted)


def load_component(state: State, spot: Spot, address: Array, base: str, bit_size: int) -> Value:
    """Load a number of 8 to 64 bits at a byte address."""
    words = address >> _WORD
    if bit_size == 1:
        value = load_words(state, spot, words, "bool", 32)
        return Value((value.bits != 0).astype(np.uint8), 1, value.poison, None, value.fragile)
    misaligned = address & 3
    if bit_size == 32 and not misaligned.any():
        return load_words(state, spot, words, base, 32)
    wanted = ((1 << bit_size // 8) - 1) << misaligned
    low = load_words(state, spot, words, base, bit_size, wanted & _ALL_BYTES)
    bits = low.bits[0].astype(np.uint64)
    poison, fragile = low.poison, _worried(low)
    if bit_size > 8:
        high = load_words(state, spot, words + 1, base, bit_size, wanted >> 4 & _ALL_BYTES)
        bits = bits | high.bits[0].astype(np.uint64) << np.uint64(32)
        if bit_size == 64 or (misaligned * 8 + bit_size > 32).any():
            poison, fragile = either(poison, high.poison), either(fragile, _worried(high))
    bits = bits >> (misaligned * 8).astype(np.uint64)
    if bit_size == 64 and misaligned.any():
        third = load_words(state, spot, words + 2, base, bit_size, wanted >> 8)
        shift = np.where(misaligned > 0, 64 - misaligned * 8, 0).astype(np.uint64)
        top = np.where(misaligned > 0, third.bits[0].astype(np.uint64) << shift, np.uint64(0))
        bits = bits | top
        poison = either(poison, third.poison)
    mask = np.uint64((1 << bit_size) - 1)
    return Value((bits & mask).astype(container_type(bit_size))[None], bit_size, poison, None, fragile)


def _worried(word: Value) -> Array | None:
    """Return fragile marks for a part of a word: any rounding error makes it fragile."""
    if word.error is None:
        return word.fragile
    return either(word.fragile, word.error > 0)


def store_component(state: State, spot: Spot, address: Array, value: Value, active: Array) -> None:
    """Store one number of 8 to 64 bits at a byte address."""
    words, misaligned = address >> _WORD, address & 3
    bit_size = 8 if value.bit_size == 1 else value.bit_size
    if bit_size == 32 and not misaligned[active].any():
        state.memory.store(spot.place, [spot.buffer, words], value, active)
        return
    if bit_size == 64 and not misaligned[active].any():
        whole = value.bits[0]
        fragile = _worried(value)
        for part, shift in ((0, 0), (1, 32)):
            half = (whole >> np.uint64(shift)) & np.uint64(0xFFFFFFFF)
            word = Value(half.astype(np.uint32)[None], 32, value.poison, None, fragile)
            state.memory.store(spot.place, [spot.buffer, words + part], word, active)
        return
    for number in range(bit_size // 8):
        byte = (value.bits[0].astype(np.uint64) >> np.uint64(8 * number)) & np.uint64(0xFF)
        _store_byte(state, spot, address + number, byte, value, active)


def _store_byte(state: State, spot: Spot, address: Array, byte: Array, value: Value, active: Array) -> None:
    words, shift = address >> _WORD, ((address & 3) * 8).astype(np.uint64)
    fragile = _worried(value)
    others = (~(np.uint64(0xFF) << shift) & np.uint64(0xFFFFFFFF)).tolist()
    parts, own = (byte << shift).tolist(), (1 << (address & 3)).tolist()
    poisoned, shaky = (
        [False] * state.lanes if marks is None else marks[0].tolist() for marks in (value.poison, fragile)
    )

    def change(cell: MemoryCell, lane: int) -> MemoryCell:
        holes = (_ALL_BYTES if cell.poison else cell.holes) & ~own[lane] | own[lane] * poisoned[lane]
        return MemoryCell(
            cell.bits & others[lane] | parts[lane],
            32,
            holes == _ALL_BYTES,
            0.0,
            cell.fragile or cell.error > 0 or shaky[lane],
            holes % _ALL_BYTES,
        )

    untouched = untouched_words(state, spot, words, "uint", 8 if value.bit_size < 16 else value.bit_size)
    state.memory.update(spot.place, [spot.buffer, words], untouched, change, active, is_atomic=False)


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
            _prepare_words(state, spot, base, bit_size, width)
        parts = [load_component(state, spot, spot.address + start, base, bit_size) for start in starts]
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
        value, spot, active = read(state), spot_of(state), state.effective()
        state.note_lost_store(spot.marks, active, is_private=spot.place[0] == "scratch")
        for number, start in enumerate(starts):
            if mask >> number & 1:
                store_component(state, spot, spot.address + start, value.component(number), active)

    return step


def _atomic(space: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        operation = operation_name(instr.name, instr.indices.get("atomic_op"))
        first = 2 if space in ("ubo", "ssbo") else 1
        behind = len(instr.sources) - instr.name.endswith(_OFFSET_LAST)
        data = instr.sources[first:behind]
        return atomic_step(compiler, instr, operation, _spot_of(space, compiler, instr, 0), data)

    return make


def atomic_step(
    compiler: Compiler, instr: IntrinsicInstr, operation: str, spot_of: SpotOf, data: Sequence[Src]
) -> Step:
    """Compile an atomic on a number of 32 or 64 bits at a spot."""
    readers, write = [compiler.read(src) for src in data], compiler.write(instr)
    _, bit_size = dest_shape(instr)
    if bit_size not in (32, 64):
        raise Unsupported(f"a {bit_size}-bit atomic")

    def step(state: State) -> None:
        spot, active = spot_of(state), state.effective()
        state.note_lost_store(spot.marks, active)
        words = spot.address >> _WORD
        values = [read(state) for read in readers]
        if bit_size == 64:
            with atomically(state):
                write(state, _atomic_on_pairs(state, spot, operation, values, active))
            return
        base = "float" if is_float(operation) else "int"
        untouched = untouched_words(state, spot, words, base, 32)
        change = atomic_change(operation, values, bit_size)
        found = state.memory.update(spot.place, [spot.buffer, words], untouched, change, active)
        write(state, spot.marks.marked(found))

    return step


def _atomic_on_pairs(state: State, spot: Spot, operation: str, values: list[Value], active: Array) -> Value:
    """64-bit atomics, lane by lane on two words."""
    change = atomic_change(operation, values, 64)
    result = Value(np.zeros((1, state.lanes), np.uint64), 64)
    for lane in np.nonzero(active)[0]:
        only = np.zeros(state.lanes, np.bool_)
        only[lane] = True
        old = load_component(state, spot, spot.address, "int", 64)
        cell = change(cell_of(old, lane), int(lane))
        new = Value(np.full((1, state.lanes), cell.bits, np.uint64), 64)
        if cell.poison:
            new.poison = np.ones((1, state.lanes), np.bool_)
        store_component(state, spot, spot.address, new, only)
        result.bits[0, lane] = old.bits[0, lane]
        if old.poison is not None and old.poison[0, lane]:
            result.poison = either(result.poison, only[None])
    return spot.marks.marked(result)


def atomic_change(
    operation: str, values: list[Value], bit_size: int
) -> Callable[[MemoryCell, int], MemoryCell]:
    """Return the update of a cell by an atomic with the given data sources."""
    if len(values) < (2 if is_swap_with_compare(operation) else 1):
        raise Unsupported(f"the atomic {operation} without its data")

    def change(cell: MemoryCell, lane: int) -> MemoryCell:
        data = [cell_of(value, lane) for value in values]
        other = data[1].bits if len(data) > 1 else 0
        bits = combine(operation, cell.bits & ((1 << bit_size) - 1), data[0].bits, other, bit_size)
        operands = data if operation == "xchg" else [*data, cell]
        poison, fragile = any(one.poison for one in operands), any(one.fragile for one in operands)
        error = sum(one.error for one in operands)
        if error and not is_float(operation) and operation != "xchg":
            fragile, error = True, 0.0
        return MemoryCell(bits, bit_size, poison, error, fragile)

    return change


def _deref_atomic(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    operation = operation_name(instr.name, instr.indices.get("atomic_op"))
    pointer_of = pointer_reader(compiler, instr.sources[0])
    data = [compiler.read(src) for src in instr.sources[1:]]
    _, bit_size = dest_shape(instr)
    write = compiler.write(instr)

    def step(state: State) -> None:
        pointer, active = pointer_of(state), state.effective()
        change = atomic_change(operation, [read(state) for read in data], bit_size)
        if is_buffer(pointer):
            place, indices, untouched = scalar_cell(state, pointer)
            write(state, state.memory.update(place, indices, untouched, change, active))
            return
        with atomically(state):
            write(state, _atomic_on_variable(state, pointer, change, bit_size, active))

    return step


def _atomic_on_variable(
    state: State, pointer: Pointer, change: Update, bit_size: int, active: Array
) -> Value:
    """Run an atomic on a shared variable: one lane of each workgroup after another."""
    result = load(state, pointer)
    bits = result.bits.copy()
    lanes = np.nonzero(active)[0]
    in_group = LaneAccesses(state.launch.group[lanes], lanes)
    turns = in_group.turns()
    for turn in range(turns.max(initial=-1) + 1):
        lanes = in_group.lanes[turns == turn]
        old = load(state, pointer)
        bits[0, lanes] = old.bits[0, lanes]
        new = Value(np.zeros((1, state.lanes), container_type(bit_size)), bit_size)
        new.poison = np.zeros((1, state.lanes), np.bool_)
        for lane in lanes.tolist():
            cell = change(cell_of(old, lane), lane)
            new.bits[0, lane], new.poison[0, lane] = cell.bits, cell.poison
        store(state, pointer, new, 1, np.isin(state.lane_numbers, lanes))
    return Value(bits, bit_size, result.poison)


def atomically(state: State) -> AbstractContextManager[None]:
    """Treat loads and stores in this context as atomic: they do not race with other atomics."""
    return nullcontext() if state.races is None else state.races.atomically()


def _resource_index(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compute a descriptor: set, binding and array index in one number, followed by zeros."""
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)
    number = (instr.int_index("desc_set") << 8 | instr.int_index("binding")) << 12

    def step(state: State) -> None:
        index = read(state)
        rows = np.zeros((width, state.lanes), container_type(bit_size))
        rows[0] = (number + lane_index(index)) & ((1 << bit_size) - 1)
        write(state, Marks.of(index).marked(Value(rows, bit_size)))

    return step


def _resource_reindex(state: State, old: Value, more: Value) -> Value:
    rows = old.bits.copy()
    rows[0] = rows[0] + lane_index(more).astype(rows.dtype)
    return Marks.of(more).marked(Value(rows, old.bit_size, old.poison, None, old.fragile))


def _descriptor(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        value = read(state)
        rows = np.zeros((width, state.lanes), container_type(bit_size))
        shared = min(width, len(value.bits))
        rows[:shared] = value.bits[:shared]
        write(state, Marks.of(value).marked(Value(rows, bit_size)))

    return step


def _size_query(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    _, bit_size = dest_shape(instr)
    name = instr.name
    space = "ssbo" if "ssbo" in name else "ubo"
    blocks = _blocks_of_variable_index(compiler, instr, instr.sources[0], space)

    def step(state: State) -> None:
        value = read(state)
        if blocks is not None:
            value = _undefined_outside(value, blocks)
        hashes = state.environment.hash_of(name, *value.bits)
        sizes = (hashes % np.uint64(64) + np.uint64(1)) * np.uint64(16)
        rows = np.broadcast_to(sizes.astype(container_type(bit_size)), (1, state.lanes))
        write(state, Marks.of(value).marked(Value(rows, bit_size)))

    return step


def _array_length(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    pointer_of, write = pointer_reader(compiler, instr.sources[0]), compiler.write(instr)
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        pointer = pointer_of(state)
        variable = pointer.root.variable
        name = "descriptor" if variable is None else variable_name(variable)
        parts = [] if pointer.root.descriptor is None else [pointer.root.descriptor]
        hashes = state.environment.hash_of(("length", name, pointer.shape()), *parts)
        rows = (hashes % np.uint64(64) + np.uint64(1)).astype(container_type(bit_size))
        write(state, Value(np.broadcast_to(rows, (1, state.lanes)), bit_size))

    return step


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
        "load_push_constant": _load("push_const"),
        "load_uniform": _load("uniform"),
        "load_constant": _load("constant"),
        "load_kernel_input": _load("kernel_input"),
        "vulkan_resource_index": _resource_index,
        "vulkan_resource_reindex": step_of(_resource_reindex),
        "load_vulkan_descriptor": _descriptor,
        "get_ssbo_size": _size_query,
        "get_ubo_size": _size_query,
        "deref_buffer_array_length": _array_length,
    }
    for space in ("ssbo", "shared", "global", "task_payload"):
        for name in _atomic_names(space):
            steps[name] = _atomic("payload" if space == "task_payload" else space)
    for name in _atomic_names("deref"):
        steps[name] = _deref_atomic
    return steps


def _atomic_names(space: str) -> list[str]:
    """Return the atomics of a space: present names, and those before 2023, one per operation."""
    names = [f"{space}_atomic{tail}{form}" for tail in NAME_TAILS for form in ("", "_2x32", "_amd")]
    return [name for name in names if intrinsic(name) is not None]


STEPS = _make_steps()
