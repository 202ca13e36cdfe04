"""Loads and stores through derefs, for every kind of variable."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from nirls.ir.effects import memory_class
from nirls.ir.evaluate.alu_operation import container_type, encode, float_type
from nirls.ir.evaluate.arrays import Array
from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.io_variables import PartPlace, part_place
from nirls.ir.evaluate.marks import Marks
from nirls.ir.evaluate.memory import Place
from nirls.ir.evaluate.pointer import Pointer, Root, lanes_of, variable_name
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.evaluate.shared_watch import SharedWatch
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.steps.inputs import (
    barycentric,
    interpolated,
    is_perspective,
    provoking_vertex,
)
from nirls.ir.evaluate.steps.outputs import load_component, store_component
from nirls.ir.evaluate.steps.system_values import system_value
from nirls.ir.evaluate.value import Value, either, select, stack, undefined_value
from nirls.ir.io.interpolation import COLORS
from nirls.ir.model.glsl_types import LeafType, array_parts, leaf_type
from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage

BUILT_IN_NAMES: Mapping[str, str] = {
    "gl_BaseInstance": "base_instance",
    "gl_BaseInstanceARB": "base_instance",
    "gl_BaseVertex": "base_vertex",
    "gl_BaseVertexARB": "base_vertex",
    "gl_DrawID": "draw_id",
    "gl_DrawIDARB": "draw_id",
    "gl_FragCoord": "frag_coord",
    "gl_FrontFacing": "front_face",
    "gl_GlobalInvocationID": "global_invocation_id",
    "gl_HelperInvocation": "is_helper_invocation",
    "gl_InstanceID": "instance_id",
    "gl_InstanceIndex": "instance_index",
    "gl_InvocationID": "invocation_id",
    "gl_Layer": "layer_id",
    "gl_LocalInvocationID": "local_invocation_id",
    "gl_LocalInvocationIndex": "local_invocation_index",
    "gl_NumSubgroups": "num_subgroups",
    "gl_NumWorkGroups": "num_workgroups",
    "gl_PatchVerticesIn": "patch_vertices_in",
    "gl_PointCoord": "point_coord",
    "gl_PrimitiveID": "primitive_id",
    "gl_PrimitiveIDIn": "primitive_id",
    "gl_SampleID": "sample_id",
    "gl_SampleMaskIn": "sample_mask_in",
    "gl_SamplePosition": "sample_pos",
    "gl_SubgroupEqMask": "subgroup_eq_mask",
    "gl_SubgroupGeMask": "subgroup_ge_mask",
    "gl_SubgroupGtMask": "subgroup_gt_mask",
    "gl_SubgroupID": "subgroup_id",
    "gl_SubgroupInvocationID": "subgroup_invocation",
    "gl_SubgroupLeMask": "subgroup_le_mask",
    "gl_SubgroupLtMask": "subgroup_lt_mask",
    "gl_SubgroupSize": "subgroup_size",
    "gl_TessCoord": "tess_coord",
    "gl_TessLevelInner": "tess_level_inner",
    "gl_TessLevelOuter": "tess_level_outer",
    "gl_VertexID": "vertex_id",
    "gl_VertexIndex": "vertex_id",
    "gl_ViewIndex": "view_index",
    "gl_WorkGroupID": "workgroup_id",
    "gl_WorkGroupSize": "workgroup_size",
}


_LANE_MODES = frozenset({"function_temp", "shader_temp", "local", "global"})
_PAYLOAD_MODES = frozenset({"task_payload", "mem_task_payload"})
_BUFFER_MODES = frozenset({"ssbo", "mem_global", "node_payload", "mem_ssbo"}) | _PAYLOAD_MODES
_READ_ONLY_MODES = frozenset(
    {"uniform", "ubo", "mem_ubo", "push_const", "mem_push_const", "mem_constant", "constant"}
)
_SHARED_MODES = frozenset({"shared", "mem_shared"})


def leaf_of(pointer: Pointer) -> LeafType:
    """Return the scalar or vector type of a pointer's target (the vector's, for one of its components)."""
    leaf = leaf_type(pointer.type_name)
    if leaf is not None and leaf.base == "bfloat":
        raise Unsupported(f"access to a {pointer.type_name}")
    if leaf is None:
        raise Unsupported(f"access to a whole {pointer.type_name}")
    return leaf


def load(state: State, pointer: Pointer) -> Value:
    """Load through a pointer on all lanes. Raises `Unsupported`."""
    value = _load_one(state, pointer)
    for mask, other in pointer.others:
        value = select(mask, load(state, other), value)
    return value


def store(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    """Store through a pointer. Raises `Unsupported`."""
    remaining = active
    for mask, other in reversed(pointer.others):
        store(state, other, value, write_mask, remaining & mask)
        remaining = remaining & ~mask
    _store_one(state, pointer, value, write_mask, remaining)


def _load_one(state: State, pointer: Pointer) -> Value:
    mode = pointer.root.mode
    if mode in _LANE_MODES or mode in _SHARED_MODES:
        return _load_cells(state, pointer)
    if mode == "shader_in":
        return _load_input(state, pointer)
    if mode == "shader_out":
        return _load_output(state, pointer)
    if mode == "system":
        return _load_system(state, pointer)
    if mode in _READ_ONLY_MODES:
        return _by_component(state, pointer, made_up(state, pointer))
    if mode in _BUFFER_MODES:
        return _by_component(state, pointer, _load_buffer(state, pointer))
    raise Unsupported(f"load_deref of {mode}")


def _store_one(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    mode = pointer.root.mode
    # An undefined index may overwrite any element.
    state.note_lost_store(_index_marks(pointer), active, is_private=mode in _LANE_MODES)
    if mode in _LANE_MODES or mode in _SHARED_MODES:
        _store_cells(state, pointer, value, write_mask, active)
    elif mode == "shader_out":
        _store_output(state, pointer, value, write_mask, active)
    elif mode in _BUFFER_MODES:
        _store_buffer(state, pointer, value, write_mask, active & ~state.demoted)
    else:
        raise Unsupported(f"store_deref to {mode}")


def _index_marks(pointer: Pointer) -> Marks:
    return Marks.of(*pointer.indices(), *((pointer.component,) if pointer.component else ()))


def _by_component(state: State, pointer: Pointer, vector: Value) -> Value:
    """Return the vector, or the component that the pointer selects, with the marks of the indices."""
    if pointer.component is not None:
        vector = pick_component(vector, lanes_of(pointer.component, state.lanes))
    return _index_marks(pointer).marked(vector)


def pick_component(vector: Value, at: Array) -> Value:
    """Select one component on each lane; undefined out of bounds."""
    width, lanes = vector.bits.shape
    inside = (at >= 0) & (at < width)
    picked = vector.at((np.where(inside, at, 0)[None], np.arange(lanes)[None]))
    poison = ~inside[None] if picked.poison is None else picked.poison | ~inside
    picked.poison = poison if poison.any() else None
    return picked


# Variables with storage of their own.


def _cells_of(state: State, pointer: Pointer) -> tuple[Cells, Array | int, Array]:
    root = pointer.root
    variable = root.variable
    if variable is None:
        raise Unsupported(f"access to {root.mode} memory without a variable")
    shared = root.mode in _SHARED_MODES
    home = state.shared_variables if root.frame is None else root.frame
    leaf = leaf_of(pointer)
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


def _load_cells(state: State, pointer: Pointer) -> Value:
    cells, at, instance = _cells_of(state, pointer)
    value = cells.load(at, instance)
    if pointer.root.mode in _SHARED_MODES:
        state.memory.communicating |= state.memory.draws
    if state.races is not None and pointer.root.mode in _SHARED_MODES:
        watch = SharedWatch(state.races, memory_class(pointer.root.mode) or "shared", cells)
        racing = watch.load(at, _chosen_component(pointer, state.lanes), state.active, instance)
        if racing.any():
            value.poison = either(value.poison, racing)
    return _by_component(state, pointer, value)


def _store_cells(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    cells, at, instance = _cells_of(state, pointer)
    component = _chosen_component(pointer, state.lanes)
    value = state.stored(value)
    racing: Array = np.zeros(0, np.int64)
    if state.races is not None and pointer.root.mode in _SHARED_MODES:
        watch = SharedWatch(state.races, memory_class(pointer.root.mode) or "shared", cells)
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


# Uniforms and other read-only memory, and buffers.


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
    leaf = leaf_of(pointer)
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


def _load_buffer(state: State, pointer: Pointer) -> Value:
    untouched = made_up(state, pointer)
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    if all(state.memory.is_untouched((*place, row)) for row in range(untouched.bits.shape[0])):
        return untouched
    return stack(
        [
            state.memory.load((*place, row), indices, untouched.component(row), state.active)
            for row in range(untouched.bits.shape[0])
        ]
    )


def _store_buffer(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    if pointer.root.descriptor_poison is not None:
        state.mark_poisoned(active & pointer.root.descriptor_poison.reshape(-1))
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
    leaf = leaf_of(pointer)
    if leaf.num_components != 1 or pointer.others:
        raise Unsupported("an atomic on something that is no scalar")
    place, indices = _place_of(pointer.root, pointer.shape()), _indices_of(pointer, state)
    return (*place, 0), indices, made_up(state, pointer)


def is_buffer(pointer: Pointer) -> bool:
    """Return whether a pointer refers to memory stored in cells."""
    return pointer.root.mode in _BUFFER_MODES


# Inputs, outputs and system values.


def _load_input(state: State, pointer: Pointer) -> Value:
    variable = pointer.root.variable
    if variable is None:
        raise Unsupported("an input without a variable")
    place = part_place(pointer, state.launch.stage, state.lanes)
    has_one_value = state.launch.stage is not Stage.FRAGMENT or "per_primitive" in variable.qualifiers
    if has_one_value or place.vertex is not None:
        return read_input(state, pointer, place, place.vertex)
    leaf = leaf_of(pointer)
    flat = "FLAT" in variable.interpolation or leaf.base != "float"
    if place.slot in COLORS and variable.interpolation == "INTERP_MODE_NONE":
        flat = flat or state.environment.state.flat_shade
    if flat or "EXPLICIT" in variable.interpolation:
        return read_input(state, pointer, place, provoking_vertex(state))
    kind = next((word for word in ("sample", "centroid") if word in variable.qualifiers), "pixel")
    return interpolate_input(state, pointer, barycentric(state, kind, is_perspective(variable.interpolation)))


def interpolate_input(state: State, pointer: Pointer, weight: Value) -> Value:
    """Interpolate a fragment input at given barycentric weights."""
    place = part_place(pointer, state.launch.stage, state.lanes)
    leaf = leaf_of(pointer)
    parts = []
    for number in range(1 if pointer.component is not None else leaf.num_components):

        def corner(vertex: Array, number: int = number) -> Value:
            return _read_input_component(state, place, leaf, number, vertex)

        parts.append(interpolated(state, corner, weight.component(0), weight.component(1), leaf.bit_size))
    return place.marks.marked(stack(parts))


def read_input(state: State, pointer: Pointer, place: PartPlace, vertex: Array | None) -> Value:
    """Read an input at one vertex (or without vertices)."""
    leaf = leaf_of(pointer)
    width = 1 if pointer.component is not None else leaf.num_components
    parts = [_read_input_component(state, place, leaf, number, vertex) for number in range(width)]
    return place.marks.marked(stack(parts))


def _read_input_component(
    state: State, place: PartPlace, leaf: LeafType, number: int, vertex: Array | None
) -> Value:
    if isinstance(place.slot, int) and place.slot >= 0 and leaf.base == "bool":
        # Lowered I/O represents booleans as 32-bit integers.
        leaf = LeafType("bool", leaf.num_components, 1)
    step = 2 if leaf.bit_size == 64 else 1
    components = place.component + number * step
    result: Value | None = None
    for component in _numbers_in(components, state.active):
        carried = int(component) // 4
        if isinstance(place.slot, int):
            slots = place.shift + place.slot + carried
            key = OutputKey(place.slot + carried, int(component) % 4)
        else:
            slots, key = place.shift, OutputKey(place.slot, int(component))
        value = state.inputs.read(state.launch, slots, key, leaf.base, leaf.bit_size, vertex)
        result = value if result is None else select(components == component, value, result)
    return result or undefined_value(1, leaf.bit_size, state.lanes)


def _numbers_in(numbers: Array, active: Array) -> Array:
    """Return the different numbers on the active lanes, mostly one."""
    if (numbers == numbers[:1]).all() and active.any():
        return numbers[:1]
    return np.unique(numbers[active])


def _load_output(state: State, pointer: Pointer) -> Value:
    place = part_place(pointer, state.launch.stage, state.lanes)
    leaf = leaf_of(pointer)
    width = 1 if pointer.component is not None else leaf.num_components
    step = 2 if leaf.bit_size == 64 else 1
    parts = []
    for number in range(width):
        components = place.component + number * step
        result: Value | None = None
        for component in _numbers_in(components, state.active):
            slot, within = _carried(place.slot, int(component))
            value = load_component(state, slot, place.shift, within, False, leaf.bit_size, place.vertex)
            result = value if result is None else select(components == component, value, result)
        parts.append(result or undefined_value(1, leaf.bit_size, state.lanes))
    return place.marks.marked(stack(parts))


def _store_output(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    place = part_place(pointer, state.launch.stage, state.lanes)
    if value.bit_size == 1:
        # Lowered I/O represents booleans as 32-bit integers.
        value = Value(encode(value.bits != 0, "bool", 32), 32, value.poison, None, value.fragile)
    step = 2 if value.bit_size == 64 else 1
    if pointer.component is not None:
        write_mask = 1
    for number in range(value.bits.shape[0]):
        if not write_mask >> number & 1:
            continue
        components = place.component + number * step
        for component in _numbers_in(components, active):
            slot, within = _carried(place.slot, int(component))
            store_component(
                state,
                slot,
                place.shift,
                within,
                False,
                value.component(number),
                place.vertex,
                active & (components == component),
            )


def _carried(slot: int | str, component: int) -> tuple[int | str, int]:
    if isinstance(slot, int):
        return slot + component // 4, component % 4
    return slot, component


def _load_system(state: State, pointer: Pointer) -> Value:
    variable = pointer.root.variable
    if variable is None:
        raise Unsupported("a system value without a variable")
    location = variable.location or ""
    if location.startswith("SYSTEM_VALUE_"):
        name = location.removeprefix("SYSTEM_VALUE_").lower()
    elif variable.name in BUILT_IN_NAMES:
        name = BUILT_IN_NAMES[variable.name]
    else:
        raise Unsupported(f"the system value {variable.name}")
    leaf = leaf_type(variable.type_name)
    parts = array_parts(variable.type_name)
    if leaf is None and parts is not None:
        leaf = leaf_type(parts[0])
    if leaf is None:
        raise Unsupported(f"a system value of type {variable.type_name}")
    name = {"helper_invocation": "is_helper_invocation"}.get(name, name)
    if name == "is_helper_invocation":
        return Value(state.demoted[None].astype(np.uint8), 1)
    if parts is not None and name.startswith("tess_level"):
        vector = system_value(state, name, parts[1], leaf.bit_size)
        return pick_component(vector, lanes_of(pointer.indices()[0], state.lanes))
    value = system_value(state, name, leaf.num_components, leaf.bit_size)
    return _by_component(state, pointer, value) if pointer.component is not None else value
