"""Shader stages in which intrinsics and variable modes exist.

Only restrictions of the API are listed. Drivers merge and lower stages late (a vertex shader that runs as
part of a geometry shader uses shared memory and barriers), so the results of such lowering are allowed.
"""

from __future__ import annotations

from nirls.ir.model.stage import Stage
from nirls.ir.tables.vendors import vendor_of

_VS, _TCS, _TES, _GS = Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY
_TASK, _MESH, _FS = Stage.TASK, Stage.MESH, Stage.FRAGMENT
_GEOMETRY_STAGES = frozenset((_VS, _TCS, _TES, _GS, _MESH))
_RAY_TRACING = frozenset(
    (Stage.RAYGEN, Stage.ANY_HIT, Stage.CLOSEST_HIT, Stage.MISS, Stage.INTERSECTION, Stage.CALLABLE)
)
_ALL = frozenset(Stage)
_FRAGMENT = frozenset((_FS,))
_VERTICES = frozenset((_VS, _TCS, _TES, _GS, Stage.COMPUTE))

# Names, where `*` is any suffix. Intrinsics that are not listed exist in all stages.
_STAGES: tuple[tuple[str, frozenset[Stage]], ...] = (
    # Inputs and outputs
    ("load_interpolated_input load_input_vertex load_fs_input_interp_deltas", _FRAGMENT),
    ("load_per_primitive_input", _FRAGMENT),
    ("load_per_vertex_input load_per_vertex_input_indirect", frozenset((_TCS, _TES, _GS, Stage.COMPUTE))),
    ("load_per_vertex_output load_per_vertex_output_indirect", frozenset((_TCS, _MESH))),
    ("store_per_vertex_output store_per_vertex_output_indirect", frozenset((_TCS, _MESH))),
    ("load_per_primitive_output store_per_primitive_output", frozenset((_MESH,))),
    ("load_per_view_output store_per_view_output", _GEOMETRY_STAGES),
    # Drivers run vertex and geometry shaders as compute shaders.
    ("load_input load_input_indirect", _GEOMETRY_STAGES | {_FS, Stage.COMPUTE}),
    # Task shaders of NV_mesh_shader had outputs.
    ("load_output load_output_indirect", _GEOMETRY_STAGES | {_FS, _TASK, Stage.COMPUTE}),
    ("store_output store_output_indirect", _GEOMETRY_STAGES | {_FS, _TASK, Stage.COMPUTE}),
    ("interp_deref_at_* interp_var_at_* load_barycentric_*", _FRAGMENT),
    # Fragments
    ("discard discard_if demote demote_if", _FRAGMENT),
    # Drivers end invocations of lowered ray tracing and geometry shaders by it.
    ("terminate terminate_if", _FRAGMENT | _RAY_TRACING | {_GS}),
    ("is_helper_invocation load_helper_invocation", _FRAGMENT),
    ("load_frag_coord load_frag_coord_zw load_pixel_coord load_point_coord load_line_coord", _FRAGMENT),
    ("load_front_face load_front_face_fsign load_point_coord_maybe_flipped load_fully_covered", _FRAGMENT),
    ("load_frag_size load_frag_shading_rate load_frag_invocation_count", _FRAGMENT),
    ("load_sample_id load_sample_id_no_per_sample load_sample_pos load_sample_pos_or_center", _FRAGMENT),
    ("load_sample_mask_in load_color0 load_color1", _FRAGMENT),
    ("begin_invocation_interlock end_invocation_interlock begin_fragment_shader_ordering", _FRAGMENT),
    # Geometry
    ("emit_vertex end_primitive", frozenset((_GS,))),
    ("emit_vertex_with_counter set_vertex_count", frozenset((_GS, Stage.COMPUTE))),
    ("end_primitive_with_counter", frozenset((_GS, Stage.COMPUTE))),
    ("set_vertex_and_primitive_count", frozenset((_GS, _MESH, Stage.COMPUTE))),
    # Tessellation
    ("load_tess_coord load_tess_coord_xy", frozenset((_TES,))),
    ("load_patch_vertices_in load_tess_level_outer load_tess_level_inner", frozenset((_TCS, _TES))),
    ("load_tess_level_outer_default load_tess_level_inner_default", frozenset((_TCS, _TES))),
    ("memory_barrier_tcs_patch", frozenset((_TCS,))),
    ("load_invocation_id", frozenset((_TCS, _GS))),
    # Vertices; drivers run the vertex shader inside the next stage, or as a compute shader
    ("load_vertex_id load_vertex_id_zero_base load_first_vertex load_base_vertex", _VERTICES),
    ("load_instance_id load_base_instance load_is_indexed_draw", _VERTICES),
    # Task and mesh
    ("launch_mesh_workgroups launch_mesh_workgroups_with_payload_deref", frozenset((_TASK,))),
    ("store_task_payload task_payload_atomic*", frozenset((_TASK,))),
    ("load_task_payload load_mesh_view_count load_mesh_view_indices", frozenset((_TASK, _MESH))),
    # Compute; drivers run other stages in workgroups too
    ("load_local_invocation_id load_num_workgroups load_num_work_groups", _ALL - {_FS}),
    ("load_workgroup_id load_work_group_id", _ALL - {_FS}),
    ("load_kernel_input load_work_dim", frozenset((Stage.KERNEL, Stage.COMPUTE))),
    ("load_shared store_shared shared_atomic*", _ALL - {_FS}),
    ("control_barrier", _ALL - {_FS} - _RAY_TRACING),
    # Rays
    ("report_ray_intersection", frozenset((Stage.INTERSECTION,))),
    ("ignore_ray_intersection terminate_ray", frozenset((Stage.ANY_HIT, Stage.INTERSECTION))),
    ("trace_ray", frozenset((Stage.RAYGEN, Stage.CLOSEST_HIT, Stage.MISS))),
    ("execute_callable", _RAY_TRACING - {Stage.ANY_HIT, Stage.INTERSECTION}),
)
_BY_NAME = {name: stages for names, stages in _STAGES for name in names.split() if name[-1] != "*"}
_BY_PREFIX = [(name[:-1], stages) for names, stages in _STAGES for name in names.split() if name[-1] == "*"]


def stages_of_intrinsic(name: str) -> frozenset[Stage]:
    """Return the stages in which an intrinsic may occur."""
    stages = _BY_NAME.get(name)
    if stages is not None:
        return stages
    if vendor_of(name):  # drivers use their own intrinsics in any lowered stage
        return _ALL
    return next((stages for prefix, stages in _BY_PREFIX if name.startswith(prefix)), _ALL)


def stage_words(stages: frozenset[Stage]) -> str:
    """Format stages in pipeline order, such as `TCS, TES and GS`."""
    names = [stage.abbreviation for stage in Stage if stage in stages]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Stages of variable modes; modes that are not listed exist in all stages.
_MODE_STAGES: dict[str, frozenset[Stage]] = {
    "shader_in": _GEOMETRY_STAGES | {_FS, Stage.KERNEL},
    "shader_out": _GEOMETRY_STAGES | {_FS, _TASK},
    "shared": _ALL - {_FS},
    "task_payload": frozenset((_TASK, _MESH)),
    "ray_hit_attrib": _RAY_TRACING,
    "shader_call_data": _RAY_TRACING,
}

KNOWN_MODES = frozenset(
    (
        *_MODE_STAGES,
        *("function_temp", "shader_temp", "uniform", "ubo", "ssbo", "system", "image", "push_const"),
        *("constant", "global", "node_payload", "node_payload_in", "local", "shader_storage", "param"),
        *("mem_constant", "push_constant", "node_payload_out", "node_input", "node_output"),
        *("pixel_local", "pixel_local_in", "pixel_local_out", "resource_heap", "sampler_heap", "generic"),
    )
)


def stages_of_mode(mode: str) -> frozenset[Stage]:
    """Return the stages in which variables of a mode may occur."""
    return _MODE_STAGES.get(mode, _ALL)
