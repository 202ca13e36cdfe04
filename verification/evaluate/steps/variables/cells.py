"""Variables with storage of their own: of an invocation, or shared by a workgroup."""

from __future__ import annotations

import re

import numpy as np

from nirls.ir.effects import memory_class
from nirls.ir.model.glsl_types import LeafType
from nirls.ir.model.shader import Variable
from nirls.verification.evaluate.alu.operation import float_type
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.storage.shared_memory_races import SharedMemoryRaces
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer, lanes_of
from nirls.verification.evaluate.values.selection import selected
from nirls.verification.evaluate.values.value import Value, either

LANE_MODES = frozenset({"function_temp", "shader_temp", "local", "global"})
SHARED_MODES = frozenset({"shared", "mem_shared"})


def _cells_of(state: State, pointer: Pointer) -> tuple[Cells, Array | int, Array]:
    root = pointer.root
    variable = root.variable
    if variable is None:
        raise Unsupported(f"access to {root.mode} memory without a variable")
    shared = root.mode in SHARED_MODES
    home = state.shared_variables if root.frame is None else root.frame
    leaf = pointer.leaf
    elements = 1
    at: Array | int = 0
    inside: Array | bool = True
    for index in pointer.indices():
        length = max(index.length, 1)
        elements *= length
        inside = inside & (np.asarray(index.at) >= 0) & (np.asarray(index.at) < length)
        at = at * length + index.at
    if inside is not True and not np.all(inside):
        at = np.broadcast_to(np.where(inside, at, -1), (state.lanes,))
    instances = state.launch.group_count if shared else state.lanes
    key = (id(variable), pointer.shape())
    cells = home.get(key)
    if not isinstance(cells, Cells):
        cells = Cells(elements, leaf.num_components, leaf.bit_size, instances)
        home[key] = cells
        if variable.initializer is not None:
            _initialize(cells, variable, pointer, leaf, state)
    return cells, at, state.launch.group if shared else state.lane_numbers


def load_cells(state: State, pointer: Pointer) -> Value:
    """Load from a variable on all lanes."""
    cells, at, instance = _cells_of(state, pointer)
    value = cells.load(at, instance)
    if pointer.root.mode in SHARED_MODES:
        state.memory.communicating |= state.memory.draws
    if state.races is not None and pointer.root.mode in SHARED_MODES:
        watch = SharedMemoryRaces(state.races, memory_class(pointer.root.mode) or "shared", cells)
        racing = watch.load(at, _chosen_component(pointer, state.lanes), state.masks.active, instance)
        if racing.any():
            value.poison = either(value.poison, racing)
    return selected(pointer, value)


def store_cells(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    """Store to a variable."""
    cells, at, instance = _cells_of(state, pointer)
    component = _chosen_component(pointer, state.lanes)
    value = state.masks.stored(value)
    racing: Array = np.zeros(0, np.int64)
    if state.races is not None and pointer.root.mode in SHARED_MODES:
        watch = SharedMemoryRaces(state.races, memory_class(pointer.root.mode) or "shared", cells)
        racing = watch.store(at, component, value, write_mask, active, instance)
    if component is None:
        cells.store(at, value, write_mask, active, instance)
    else:
        for number in range(cells.bits.shape[1]):
            chosen = active & (component == number)
            if chosen.any():
                cells.store(at, value, 1 << number, chosen, instance)
    cells.poison.reshape(-1)[racing] = True


def _chosen_component(pointer: Pointer, lanes: int) -> Array | None:
    return None if pointer.component is None else lanes_of(pointer.component, lanes)


_NUMBER = re.compile(r"true|false|0x[0-9a-fA-F]+|[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)")


def _initialize(cells: Cells, variable: Variable, pointer: Pointer, leaf: LeafType, state: State) -> None:
    """Fill cells from the printed initializer, which lists all components in order."""
    text = variable.initializer or ""
    if "&" in text:
        raise Unsupported("an initializer that is a pointer")
    if any(isinstance(step, str) for step in pointer.path):
        raise Unsupported("an initializer of a struct")
    words = _NUMBER.findall(text)
    if len(words) < cells.bits.shape[0] * leaf.num_components:
        # `{0}` and `null` initialize everything to zero.
        words = ["0"] * (cells.bits.shape[0] * leaf.num_components)
    for element in range(cells.bits.shape[0]):
        first = element * leaf.num_components
        cells.fill(element, [_literal(word, leaf) for word in words[first : first + leaf.num_components]])


def _literal(word: str, leaf: LeafType) -> int:
    if word in ("true", "false"):
        return int(word == "true")
    if word.startswith("0x"):
        return int(word, 16)
    if leaf.base == "float":
        number = np.array([float(word)]).astype(float_type(leaf.bit_size))
        return int(number.view(container_type(leaf.bit_size))[0])
    return int(float(word))
