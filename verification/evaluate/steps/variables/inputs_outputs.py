"""Inputs, outputs and system values, accessed through derefs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nirls.ir.io.interpolation import COLORS
from nirls.ir.io.variables import (
    BUILTIN_FIELDS,
    COMPACT_FIELDS,
    element_of,
    is_builtin_block,
    slots_of,
    variable_place,
)
from nirls.ir.model.glsl_types import LeafType, array_parts, leaf_type
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.alu.operation import encode
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.steps.inputs import (
    barycentric,
    interpolated,
    is_perspective,
    provoking_vertex,
)
from nirls.verification.evaluate.steps.outputs import load_component, store_component
from nirls.verification.evaluate.steps.system_inputs import system_input
from nirls.verification.evaluate.steps.system_values import system_value
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, lanes_of
from nirls.verification.evaluate.values.selection import pick_component, selected
from nirls.verification.evaluate.values.value import Value, select, stack, undefined_value

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


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Location of a pointer's target: per lane an offset in slots, and a component.

    `vertex` is the vertex of each lane for arrayed variables. `marks` are those of the indices; an element
    out of bounds is undefined.
    """

    slot: int | str
    shift: Array
    component: Array
    vertex: Array | None
    marks: Marks


def part_place(pointer: Pointer, stage: Stage | None, lanes: int) -> PartPlace:
    """Locate the target of a pointer into an input or output variable."""
    variable = pointer.root.variable
    assert variable is not None
    place = variable_place(variable, stage)
    slot, compact = place.slot, place.compact
    component = np.full(lanes, place.component)
    shift = np.zeros(lanes, np.int64)
    type_name = variable.type_name
    vertex: Array | None = None
    marks = Marks()
    if pointer.component is not None:
        component = component + lanes_of(pointer.component, lanes)
        marks.add(pointer.component)
        marks.join(_out_of_bounds(pointer.component, lanes))
    path = list(pointer.path)
    if place.arrayed and path and isinstance(path[0], PointerIndex):
        first = path.pop(0)
        assert isinstance(first, PointerIndex)
        vertex = lanes_of(first, lanes)
        marks.add(first)
        type_name = element_of(type_name)
    for step in path:
        if isinstance(step, str):
            if step in BUILTIN_FIELDS and is_builtin_block(variable):
                slot, compact = varying_slot(BUILTIN_FIELDS[step]), step in COMPACT_FIELDS
            else:
                slot, compact = f"{slot}.{step}", False
            type_name = ""
            continue
        marks.add(step)
        marks.join(_out_of_bounds(step, lanes))
        at = lanes_of(step, lanes)
        type_name = element_of(type_name)
        if compact:
            position = component + at
            shift, component = shift + position // 4, position % 4
        elif isinstance(slot, str):
            shift = shift * max(step.length, 1) + at
        else:
            shift = shift + at * (slots_of(type_name) or 1)
    return PartPlace(slot, shift, component, vertex, marks)


def _out_of_bounds(index: PointerIndex, lanes: int) -> Marks:
    """Return the lanes whose element does not exist; no lane for an unsized array."""
    at = lanes_of(index, lanes)
    outside = (at < 0) | (at >= index.length)
    return Marks(poison=outside[None]) if index.length and outside.any() else Marks()


def structs_without_slots(shader: Shader) -> frozenset[str]:
    """Return the inputs and outputs that are structs and accessed by member.

    A dump does not print the layout of a struct, so a run keeps each member in a place named after it.
    """
    found = set()
    for instr in shader.instrs():
        if not isinstance(instr, DerefInstr) or instr.field is None:
            continue
        root = instr.root
        is_known = root.var is not None and instr.field in BUILTIN_FIELDS and is_builtin_block(root.var)
        if instr.mode in ("shader_in", "shader_out") and not is_known:
            found.add(root.var_name)
    return frozenset(found)


def load_input(state: State, pointer: Pointer) -> Value:
    """Load an input, interpolated if its variable is."""
    variable = pointer.root.variable
    if variable is None:
        raise Unsupported("an input without a variable")
    place = part_place(pointer, state.launch.stage, state.lanes)
    leaf = pointer.leaf
    if place.vertex is None:
        width = 1 if pointer.component is not None else leaf.num_components
        first = int(place.component[0]) if (place.component == place.component[0]).all() else 0
        known = system_input(state, place.slot, first, width, leaf.bit_size, leaf.base)
        if known is not None:
            return place.marks.marked(known)
    has_one_value = state.launch.stage is not Stage.FRAGMENT or "per_primitive" in variable.qualifiers
    if has_one_value or place.vertex is not None:
        return read_input(state, pointer, place, place.vertex)
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
    leaf = pointer.leaf
    parts = []
    for number in range(1 if pointer.component is not None else leaf.num_components):

        def corner(vertex: Array, number: int = number) -> Value:
            return _read_input_component(state, place, leaf, number, vertex)

        parts.append(interpolated(state, corner, weight.component(0), weight.component(1), leaf.bit_size))
    return place.marks.marked(stack(parts))


def read_input(state: State, pointer: Pointer, place: PartPlace, vertex: Array | None) -> Value:
    """Read an input at one vertex (or without vertices)."""
    leaf = pointer.leaf
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
    for component in _numbers_in(components, state.masks.active):
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


def load_output(state: State, pointer: Pointer) -> Value:
    """Load an output."""
    place = part_place(pointer, state.launch.stage, state.lanes)
    leaf = pointer.leaf
    width = 1 if pointer.component is not None else leaf.num_components
    step = 2 if leaf.bit_size == 64 else 1
    parts = []
    for number in range(width):
        components = place.component + number * step
        result: Value | None = None
        for component in _numbers_in(components, state.masks.active):
            slot, within = _carried(place.slot, int(component))
            value = load_component(state, slot, place.shift, within, False, leaf.bit_size, place.vertex)
            result = value if result is None else select(components == component, value, result)
        parts.append(result or undefined_value(1, leaf.bit_size, state.lanes))
    return place.marks.marked(stack(parts))


def store_output(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    """Store to an output."""
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


def load_system(state: State, pointer: Pointer) -> Value:
    """Load a system value."""
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
        return Value(state.masks.demoted[None].astype(np.uint8), 1)
    if parts is not None and name.startswith("tess_level"):
        vector = system_value(state, name, parts[1], leaf.bit_size)
        return pick_component(vector, lanes_of(pointer.indices()[0], state.lanes))
    value = system_value(state, name, leaf.num_components, leaf.bit_size)
    return selected(pointer, value) if pointer.component is not None else value
