"""System values provided by hardware or API, consistent with each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.slots import varying_slot
from nirls.verification.evaluate.alu.operation import float_type
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.state.subgroup_lanes import subgroup_invocation, subgroup_size
from nirls.verification.evaluate.steps.inputs import dest_shape, provoking_vertex
from nirls.verification.evaluate.surroundings.barycentrics import (
    SAMPLES,
    inverse_w,
    quad_offset,
    sample_of_lane,
    sample_offset,
)
from nirls.verification.evaluate.surroundings.hashing import fraction
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.surroundings.stage_inputs import StageInputs
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, lane_index, select

Rows = list[Array]

_LAYER = varying_slot("LAYER")


def _scalar(state: State, name: str, below: int) -> Array:
    """Generate a small number that is uniform over the draw or dispatch."""
    return (state.environment.hash_of(name) % np.uint64(below)).astype(np.int64)


def _vertex(state: State) -> Array:
    return state.launch.within_draw(state.lane_numbers)


def _first_vertex(state: State) -> Array:
    return _scalar(state, "first_vertex", 5)


def _base_instance(state: State) -> Array:
    return _scalar(state, "base_instance", 3)


def _instance_id(state: State) -> Array:
    """Return an instance id, equal for all vertices of a primitive; a pipeline defines the primitives."""
    given = state.launch.system.get("instance_id")
    return state.lane_numbers // 3 % 3 if given is None else given.bits[0].astype(np.int64)


def _local_id(state: State) -> Rows:
    width, height, _ = state.launch.workgroup_size
    index = state.launch.invocation
    return [index % width, index // width % height, index // (width * height)]


def _workgroup_id(state: State) -> Rows:
    width, height, _ = (np.maximum(count, 1) for count in state.launch.dispatch())
    number = state.launch.workgroup_number()
    return [number % width, number // width % height, number // (width * height)]


def _global_id(state: State) -> Rows:
    return [
        group * size + local
        for group, size, local in zip(
            _workgroup_id(state), state.launch.workgroup_size, _local_id(state), strict=True
        )
    ]


def _global_index(state: State) -> Array:
    x, y, z = _global_id(state)
    width, height = (
        size * count
        for size, count in zip(state.launch.workgroup_size[:2], state.launch.dispatch()[:2], strict=True)
    )
    return x + width * (y + height * z)


def _pixel(state: State) -> Rows:
    column, row = quad_offset(state.launch)
    quads = state.lane_numbers >> 2
    place = state.environment.hash_of("pixel", quads)
    x = (place % np.uint64(64)).astype(np.int64) * 2 + column
    y = ((place >> np.uint64(8)) % np.uint64(64)).astype(np.int64) * 2 + row
    return [x, y]


def _frag_coord(state: State) -> Rows:
    x, y = _pixel(state)
    depth = fraction(state.environment.hash_of("depth", state.lane_numbers))
    return [x + 0.5, y + 0.5, np.floor(depth * 1024) / 1024, inverse_w(state.environment, state.launch)]


def _front_face(state: State) -> Array:
    return (state.environment.hash_of("front face", state.launch.primitive) & np.uint64(1)).astype(np.int64)


def _sample_position(state: State) -> Rows:
    x, y = sample_offset(state.environment, sample_of_lane(state.environment, state.launch))
    return [x + 0.5, y + 0.5]


def _sample_mask(state: State) -> Array:
    covered = state.environment.hash_of("sample mask", state.lane_numbers) % np.uint64(1 << SAMPLES)
    return covered.astype(np.int64) | (1 << sample_of_lane(state.environment, state.launch))


def _point_coord(state: State) -> Rows:
    column, row = quad_offset(state.launch)
    quads = state.lane_numbers >> 2
    return [
        np.floor(fraction(state.environment.hash_of(f"point {axis}", quads)) * 16) / 16 * 0.75 + step / 16
        for axis, step in (("x", column), ("y", row))
    ]


_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def _tess_coord(state: State) -> Rows:
    """Return the domain corners first, then inner points; the third component is w of triangles."""
    lane = state.lane_numbers
    u = np.floor(fraction(state.environment.hash_of("u", lane)) * 32) / 32
    v = np.floor(fraction(state.environment.hash_of("v", lane)) * 32) / 32
    outside = u + v > 1
    u, v = np.where(outside, 1 - u, u), np.where(outside, 1 - v, v)
    within = lane % 8
    corner = within < 3
    u = np.where(corner, _CORNERS[within % 4, 0], u)
    v = np.where(corner, _CORNERS[within % 4, 1], v)
    return [u, v, 1 - u - v]


def _number(value: int) -> Array:
    return np.array([value])


_INTEGERS: dict[str, Callable[[State], Array | Rows]] = {
    "vertex_id": lambda state: _first_vertex(state) + _vertex(state),
    "vertex_id_zero_base": _vertex,
    "first_vertex": _first_vertex,
    "base_vertex": _first_vertex,
    "instance_id": _instance_id,
    "base_instance": _base_instance,
    "instance_index": lambda state: _base_instance(state) + _instance_id(state),
    "draw_id": lambda state: _scalar(state, "draw_id", 4),
    "is_indexed_draw": lambda state: _number(-1),
    "primitive_id": lambda state: state.launch.within_draw(state.launch.primitive),
    "invocation_id": lambda state: state.launch.invocation,
    "patch_vertices_in": lambda state: _number(state.launch.vertices_in),
    "num_vertices": lambda state: _number(state.launch.vertices_in),
    "local_invocation_id": _local_id,
    "local_invocation_index": lambda state: state.launch.invocation,
    "workgroup_id": _workgroup_id,
    "workgroup_id_zero_base": _workgroup_id,
    "workgroup_index": lambda state: state.launch.workgroup_number(),
    "global_invocation_id": _global_id,
    "global_invocation_id_zero_base": _global_id,
    "global_invocation_index": _global_index,
    "base_global_invocation_id": lambda state: [_number(0)] * 3,
    "base_workgroup_id": lambda state: [_number(0)] * 3,
    "work_group_id": _workgroup_id,
    "num_work_groups": lambda state: state.launch.dispatch(),
    "num_workgroups": lambda state: state.launch.dispatch(),
    "workgroup_size": lambda state: [_number(size) for size in state.launch.workgroup_size],
    "enqueued_workgroup_size": lambda state: [_number(size) for size in state.launch.workgroup_size],
    "local_group_size": lambda state: [_number(size) for size in state.launch.workgroup_size],
    "work_dim": lambda state: _number(3),
    "subgroup_size": lambda state: _number(subgroup_size(state)),
    "subgroup_invocation": subgroup_invocation,
    "subgroup_id": lambda state: state.launch.invocation // subgroup_size(state),
    "num_subgroups": lambda state: _number(-(-state.launch.group_size // subgroup_size(state))),
    "sample_id": lambda state: sample_of_lane(state.environment, state.launch),
    "sample_id_no_per_sample": lambda state: sample_of_lane(state.environment, state.launch),
    "sample_mask_in": _sample_mask,
    "sample_mask": _sample_mask,
    "pixel_coord": _pixel,
    "layer_id": lambda state: (
        state.environment.hash_of("layer", state.launch.primitive) % np.uint64(4)
    ).astype(np.int64),
    "view_index": lambda state: _scalar(state, "view_index", 2),
    "rasterization_samples": lambda state: _number(SAMPLES),
    "provoking_last": lambda state: _number(int(state.environment.state.provoking_last)),
}
_FLOATS: dict[str, Callable[[State], Array | Rows]] = {
    "frag_coord": _frag_coord,
    "frag_coord_z": lambda state: _frag_coord(state)[2],
    "frag_coord_w": lambda state: _frag_coord(state)[3],
    "frag_coord_zw": lambda state: _frag_coord(state)[2:],
    "front_face_fsign": lambda state: _front_face(state) * 2.0 - 1.0,
    "sample_pos": _sample_position,
    "sample_pos_or_center": _sample_position,
    "point_coord": _point_coord,
    "tess_coord": _tess_coord,
    "tess_coord_xy": lambda state: _tess_coord(state)[:2],
}
# Uniform over a draw, with otherwise unknown contents.
_UNIFORM_FLOATS = {
    "alpha_ref_float": 1,
    "aa_line_width": 1,
    "blend_const_color_rgba": 4,
    **{f"blend_const_color_{part}_float": 1 for part in "rgba"},
    "line_width": 1,
    "point_size": 1,
    "tess_level_inner_default": 2,
    "tess_level_outer_default": 4,
    "user_clip_plane": 4,
    "viewport_offset": 3,
    "viewport_scale": 3,
    **{f"viewport_{axis}_{part}": 1 for axis in "xyz" for part in ("offset", "scale")},
    "viewport_xy_scale_and_offset": 4,
}
_PATCH_FLOATS = frozenset({"tess_level_inner", "tess_level_outer"})


def system_value(state: State, name: str, width: int, bit_size: int, variant: int = 0) -> Value:
    """Return a system value by intrinsic name without `load_`. Raises `Unsupported` for unknown ones.

    `variant` is the index of a member of an array (a user clip plane).
    """
    given = state.overwritten.get(name) or state.launch.system.get(name)
    if given is not None:
        return given
    if name == "layer_id" and isinstance(state.inputs, StageInputs):
        # What the stage in front has stored selects the layer.
        slots = np.full(state.lanes, _LAYER)
        return state.inputs.read(
            state.launch, slots, OutputKey(_LAYER, 0), "int", bit_size, provoking_vertex(state)
        )
    if name in _INTEGERS:
        return _value(state, _INTEGERS[name](state), width, bit_size)
    if name == "front_face":
        truth = _front_face(state)
        return _value(state, truth if bit_size == 1 else -truth, width, bit_size)
    if name in _FLOATS:
        return _floats(state, _FLOATS[name](state), width, bit_size)
    if name in _UNIFORM_FLOATS:
        return _floats(
            state,
            [fraction(state.environment.hash_of((name, variant, row))) for row in range(width)],
            width,
            bit_size,
        )
    if name in _PATCH_FLOATS:
        rows = [
            fraction(state.environment.hash_of((name, row), state.launch.primitive)) * 4
            for row in range(width)
        ]
        return _floats(state, rows, width, bit_size)
    if name.startswith("subgroup_") and name.endswith("_mask"):
        return _subgroup_mask(state, name, width, bit_size)
    raise Unsupported(f"load_{name}")


def _value(state: State, rows: Array | Rows, width: int, bit_size: int) -> Value:
    listed = rows if isinstance(rows, list) else [rows]
    if len(listed) < width:
        raise Unsupported("a system value of more components than it has")
    table = np.stack([np.broadcast_to(row, (state.lanes,)) for row in listed[:width]]).astype(np.int64)
    mask = np.uint64((1 << bit_size) - 1)
    return Value((table.view(np.uint64) & mask).astype(container_type(bit_size)), bit_size)


def _floats(state: State, rows: Array | Rows, width: int, bit_size: int) -> Value:
    listed = rows if isinstance(rows, list) else [rows]
    if len(listed) < width or bit_size not in FLOAT_TYPES:
        raise Unsupported("a system value of more components than it has")
    table = np.stack([np.broadcast_to(row, (state.lanes,)) for row in listed[:width]])
    return Value(table.astype(float_type(bit_size)).view(container_type(bit_size)), bit_size)


def _subgroup_mask(state: State, name: str, width: int, bit_size: int) -> Value:
    """Return the mask of invocations that are equal to, before or after this one, in words of `bit_size`."""
    own = subgroup_invocation(state)
    relation = name.removeprefix("subgroup_").removesuffix("_mask")
    compare = {
        "eq": np.equal,
        "ge": np.greater_equal,
        "gt": np.greater,
        "le": np.less_equal,
        "lt": np.less,
    }.get(relation)
    if compare is None:
        raise Unsupported(f"load_{name}")
    rows = np.zeros((width, state.lanes), np.uint64)
    for other in range(min(subgroup_size(state), width * bit_size)):
        rows[other // bit_size] |= compare(other, own).astype(np.uint64) << np.uint64(other % bit_size)
    return Value(rows.astype(container_type(bit_size)), bit_size)


def _load(name: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        width, bit_size = dest_shape(instr)
        variant = instr.int_index("ucp_id")
        write = compiler.write(instr)
        return lambda state: write(state, system_value(state, name, width, bit_size, variant))

    return make


def _sample_position_from_id(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        number = read(state)
        x, y = sample_offset(state.environment, lane_index(number))
        result = _floats(state, [x + 0.5, y + 0.5], width, bit_size)
        write(state, Marks.of(number).marked(result))

    return step


def _overwrite_vertex(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Overwrite the vertex ids of the running lanes (AMD, after culling compacts the vertices)."""
    readers = [compiler.read(src) for src in instr.sources]

    def step(state: State) -> None:
        for name, read in zip(("vertex_id_zero_base", "instance_id"), readers, strict=True):
            old = system_value(state, name, 1, 32)
            state.overwritten[name] = select(state.masks.active, read(state), old)

    return step


def _overwrite_place(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Overwrite the tessellation coordinates of the running lanes in evaluation shaders."""
    readers = [compiler.read(src) for src in instr.sources[:2]]

    def step(state: State) -> None:
        u, v = (read(state) for read in readers)
        numbers = [value.bits[0].view(np.float32).astype(np.float64) for value in (u, v)]
        new = Marks.of(u, v).marked(_floats(state, [*numbers, 1 - numbers[0] - numbers[1]], 3, 32))
        state.overwritten["tess_coord"] = select(
            state.masks.active, new, system_value(state, "tess_coord", 3, 32)
        )

    return step


def is_known(name: str) -> bool:
    """Return whether `system_value` supports this name (without `load_`)."""
    tables = (_INTEGERS, _FLOATS, _UNIFORM_FLOATS, _PATCH_FLOATS)
    return name == "front_face" or any(name in table for table in tables)


STEPS = {
    "load_sample_pos_from_id": _sample_position_from_id,
    "overwrite_tes_arguments_amd": _overwrite_place,
    "overwrite_vs_arguments_amd": _overwrite_vertex,
    **{
        f"load_{name}": _load(name)
        for name in (
            *_INTEGERS,
            "front_face",
            *_FLOATS,
            *_UNIFORM_FLOATS,
            *_PATCH_FLOATS,
            *(f"subgroup_{relation}_mask" for relation in ("eq", "ge", "gt", "le", "lt")),
        )
    },
}
