"""Atomics on words of memory, on pairs of words, and on variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.ir.tables import intrinsic
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.derefs import pointer_reader
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.memory_words import (
    Spot,
    SpotOf,
    load_component,
    store_component,
    untouched_words,
)
from nirls.verification.evaluate.steps.variables.access import load, store
from nirls.verification.evaluate.steps.variables.buffers import is_buffer, scalar_cell
from nirls.verification.evaluate.storage.atomics import (
    NAME_TAILS,
    combine,
    is_float,
    is_swap_with_compare,
    operation_name,
)
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.memory import Update, cell_of
from nirls.verification.evaluate.surroundings.result import MemoryCell
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, either

_WORD = np.int64(2)


def atomic_step(
    compiler: Compiler, instr: IntrinsicInstr, operation: str, spot_of: SpotOf, data: Sequence[Src]
) -> Step:
    """Compile an atomic on a number of 32 or 64 bits at a spot."""
    readers, write = [compiler.read(src) for src in data], compiler.write(instr)
    _, bit_size = dest_shape(instr)
    if bit_size not in (32, 64):
        raise Unsupported(f"a {bit_size}-bit atomic")

    def step(state: State) -> None:
        spot, active = spot_of(state), state.masks.effective()
        state.masks.note_lost_store(spot.marks, active)
        words = spot.at(0) >> _WORD
        values = [read(state) for read in readers]
        if bit_size == 64:
            with atomically(state):
                write(state, _atomic_on_pairs(state, spot, operation, values, active))
            return
        base = "float" if is_float(operation) else "int"
        untouched = untouched_words(state, spot, words, base, 32)
        change = atomic_change(operation, values, bit_size)
        value = state.memory.update(spot.place, [spot.buffer, words], untouched, change, active)
        write(state, spot.marks.marked(value))

    return step


def _atomic_on_pairs(state: State, spot: Spot, operation: str, values: list[Value], active: Array) -> Value:
    """64-bit atomics, lane by lane on two words."""
    change = atomic_change(operation, values, 64)
    result = Value(np.zeros((1, state.lanes), np.uint64), 64)
    for lane in np.nonzero(active)[0].tolist():
        only = np.zeros(state.lanes, np.bool_)
        only[lane] = True
        old = load_component(state, spot, spot.at(0), "int", 64)
        cell = change(cell_of(old, lane), lane)
        new = Value(np.full((1, state.lanes), cell.bits, np.uint64), 64)
        if cell.poison:
            new.poison = np.ones((1, state.lanes), np.bool_)
        store_component(state, spot, spot.at(0), new, only)
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
        poison, fragile = (
            any(operand.poison for operand in operands),
            any(operand.fragile for operand in operands),
        )
        error = sum(operand.error for operand in operands)
        if error > NEGLIGIBLE and not is_float(operation) and operation != "xchg":
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
        pointer, active = pointer_of(state), state.masks.effective()
        change = atomic_change(operation, [read(state) for read in data], bit_size)
        if is_buffer(pointer):
            place, indices, untouched = scalar_cell(state, pointer)
            write(state, state.memory.update(place, indices, untouched, change, active))
            return
        with atomically(state):
            write(state, _atomic_on_variable(state, pointer, change, bit_size, active))

    return step


def _counter_atomic(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile an atomic on a counter of GLSL, which is memory behind a uniform variable."""
    tail = instr.name.removeprefix("atomic_counter_").removesuffix("_deref")
    operation, step_size = _COUNTER_ATOMICS[tail]
    pointer_of = pointer_reader(compiler, instr.sources[0])
    readers, write = [compiler.read(src) for src in instr.sources[1:]], compiler.write(instr)

    def step(state: State) -> None:
        pointer, active = pointer_of(state), state.masks.effective()
        place, indices, untouched = scalar_cell(state, pointer)
        if tail == "read":
            with atomically(state):
                write(state, state.memory.load(place, indices, untouched, state.masks.active))
            return
        by = Value(np.full((1, state.lanes), step_size & 0xFFFFFFFF, np.uint32), 32)
        change = atomic_change(operation, [read(state) for read in readers] or [by], 32)
        value = state.memory.update(place, indices, untouched, change, active)
        if tail == "pre_dec":
            value = Value(value.bits - np.uint32(1), 32, value.poison)
        write(state, value)

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


def atomic_names(space: str) -> list[str]:
    """Return the atomics of a space: present names, and those before 2023, one per operation."""
    forms = ("", "_2x32", "_amd", *(["_ir3"] if space == "ssbo" else []))
    names = [f"{space}_atomic{tail}{form}" for tail in NAME_TAILS for form in forms]
    return [name for name in names if intrinsic(name) is not None]


_COUNTER_ATOMICS = {
    "inc": ("iadd", 1),
    "pre_dec": ("iadd", -1),
    "post_dec": ("iadd", -1),
    "read": ("iadd", 0),
    "add": ("iadd", 0),
    "min": ("umin", 0),
    "max": ("umax", 0),
    "and": ("iand", 0),
    "or": ("ior", 0),
    "xor": ("ixor", 0),
    "exchange": ("xchg", 0),
    "comp_swap": ("cmpxchg", 0),
}
"""The operation of each atomic on a counter, and what it adds if it has no operand."""

STEPS: dict[str, StepMaker] = {
    **dict.fromkeys(atomic_names("deref"), _deref_atomic),
    **{f"atomic_counter_{tail}_deref": _counter_atomic for tail in _COUNTER_ATOMICS},
}
