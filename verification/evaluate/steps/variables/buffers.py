"""Uniforms, buffers and other memory, accessed through derefs."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.storage.memory import Place
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer, Root, lanes_of, variable_name
from nirls.verification.evaluate.values.selection import selected
from nirls.verification.evaluate.values.value import Value, stack

_PAYLOAD_MODES = frozenset({"task_payload", "mem_task_payload"})
BUFFER_MODES = frozenset({"ssbo", "mem_global", "node_payload", "mem_ssbo"}) | _PAYLOAD_MODES
READ_ONLY_MODES = frozenset(
    {"uniform", "ubo", "mem_ubo", "push_const", "mem_push_const", "mem_constant", "constant"}
)


def _place_of(root: Root, shape: tuple[str, ...]) -> Place:
    variable = root.variable
    if variable is None:
        return (root.mode, "descriptor", shape)
    if root.mode in _PAYLOAD_MODES:
        # A stage has one payload, whose name in the other stage may differ.
        return ("task_payload", "", shape)
    return (root.mode.removeprefix("mem_"), variable_name(variable), shape)


def _indices_of(pointer: Pointer, state: State) -> list[Array]:
    numbers = [lanes_of(index, state.lanes) for index in pointer.indices()]
    if pointer.root.mode in _PAYLOAD_MODES:
        numbers.append(state.launch.group)
    if pointer.root.descriptor is not None:
        numbers.insert(0, pointer.root.descriptor.astype(np.int64))
    return numbers


def made_up(state: State, pointer: Pointer) -> Value:
    """Return the environment's value of a uniform, UBO member or unwritten buffer member."""
    leaf = pointer.leaf
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    spaces = [(*place, row) for row in range(leaf.num_components)]
    are_uniform = pointer.root.descriptor is None and pointer.root.mode not in _PAYLOAD_MODES
    if are_uniform and all(isinstance(index.at, int) for index in pointer.indices()):
        numbers = [int(index[0]) for index in indices]
        rows = state.environment.uniform(spaces, numbers, leaf.base, leaf.bit_size)
        bits = state.environment.on_lanes(rows, state.lanes)
    else:
        bits = state.environment.uniform_at(spaces, indices, leaf.base, leaf.bit_size)
    value = Value(np.broadcast_to(bits, (leaf.num_components, state.lanes)), leaf.bit_size)
    if pointer.root.descriptor_poison is not None:
        value.poison = np.broadcast_to(pointer.root.descriptor_poison, value.bits.shape)
    if state.memory.starts_undefined(place[0], state.launch.stage):
        value.poison = np.ones(value.bits.shape, np.bool_)
    return value


def load_read_only(state: State, pointer: Pointer) -> Value:
    """Load from memory that no shader writes."""
    return selected(pointer, made_up(state, pointer))


def load_buffer(state: State, pointer: Pointer) -> Value:
    """Load from memory that shaders may write."""
    untouched = made_up(state, pointer)
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    if all(state.memory.is_untouched((*place, row)) for row in range(untouched.bits.shape[0])):
        return selected(pointer, untouched)
    loaded = [
        state.memory.load((*place, row), indices, untouched.component(row), state.masks.active)
        for row in range(untouched.bits.shape[0])
    ]
    return selected(pointer, stack(loaded))


def store_buffer(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    """Store to memory; helper invocations do not."""
    active = active & ~state.masks.demoted
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    if pointer.root.descriptor_poison is not None:
        state.masks.mark_poisoned(active & pointer.root.descriptor_poison.reshape(-1))
    if pointer.component is not None:
        component = lanes_of(pointer.component, state.lanes)
        for number in np.unique(component[active]):
            state.memory.store((*place, int(number)), indices, value, active & (component == number))
        return
    for row in range(value.bits.shape[0]):
        if write_mask >> row & 1:
            state.memory.store((*place, row), indices, value.component(row), active)


def scalar_cell(state: State, pointer: Pointer) -> tuple[Place, list[Array], Value]:
    """Return each lane's cell for a pointer to a scalar, for atomics: place, indices, initial content."""
    leaf = pointer.leaf
    if leaf.num_components != 1 or pointer.others:
        raise Unsupported("an atomic on something that is no scalar")
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    return (*place, 0), indices, made_up(state, pointer)


def is_buffer(pointer: Pointer) -> bool:
    """Return whether a pointer refers to memory stored in cells."""
    return pointer.root.mode in BUFFER_MODES
