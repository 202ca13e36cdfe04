"""Which shader stages an intrinsic exists in.

Only what the stage of the API decides is listed. Drivers merge and lower stages late (a vertex shader
that runs as part of a geometry shader uses shared memory and barriers), so anything that such a lowering
leaves behind is allowed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from nirls.ir.stage import Stage

_VS, _TCS, _TES, _GS = Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY
_TASK, _MESH, _FS = Stage.TASK, Stage.MESH, Stage.FRAGMENT
_WORKGROUPS = frozenset((Stage.COMPUTE, Stage.KERNEL, _TASK, _MESH))
_GEOMETRY_STAGES = frozenset((_VS, _TCS, _TES, _GS, _MESH))
_RAY_TRACING = frozenset(
    (Stage.RAYGEN, Stage.ANY_HIT, Stage.CLOSEST_HIT, Stage.MISS, Stage.INTERSECTION, Stage.CALLABLE)
)
_ALL = frozenset(Stage)
_FRAGMENT = frozenset((_FS,))

# The first pattern that matches the whole name counts; an intrinsic without one exists everywhere.
_STAGES: tuple[tuple[str, frozenset[Stage]], ...] = (
    (".*_(amd|agx|ir3|intel|nv|pan|mali|v3d|brcm|vc4|r600|etna|dxil|lvp|zink)", _ALL),
    # Inputs and outputs
    ("load_interpolated_input|load_input_vertex|load_fs_input_interp_deltas", _FRAGMENT),
    ("load_per_primitive_input", _FRAGMENT),
    ("load_per_vertex_input(_indirect)?", frozenset((_TCS, _TES, _GS))),
    ("load_per_vertex_output(_indirect)?", frozenset((_TCS, _MESH))),
    ("store_per_vertex_output(_indirect)?", frozenset((_TCS, _MESH))),
    ("(load|store)_per_primitive_output", frozenset((_MESH,))),
    ("(load|store)_per_view_output", _GEOMETRY_STAGES),
    ("load_input(_indirect)?", _GEOMETRY_STAGES | {_FS}),
    # Task shaders of NV_mesh_shader had outputs.
    ("(load|store)_output(_indirect)?", _GEOMETRY_STAGES | {_FS, _TASK}),
    ("(interp_(deref|var)_at|load_barycentric)_.*", _FRAGMENT),
    # Fragments
    ("(discard|demote|terminate)(_if)?|is_helper_invocation|load_helper_invocation", _FRAGMENT),
    ("load_(frag_coord|frag_coord_zw|pixel_coord|point_coord|line_coord|front_face)", _FRAGMENT),
    ("load_(point_coord_maybe_flipped|front_face_fsign|fully_covered|frag_size)", _FRAGMENT),
    ("load_(sample_id|sample_pos|sample_mask_in|sample_id_no_per_sample|color0|color1)", _FRAGMENT),
    ("load_(frag_shading_rate|frag_invocation_count|sample_pos_or_center)", _FRAGMENT),
    ("(begin|end)_invocation_interlock|begin_fragment_shader_ordering", _FRAGMENT),
    # Geometry
    ("(emit_vertex|end_primitive)(_with_counter)?|set_vertex_count", frozenset((_GS,))),
    ("set_vertex_and_primitive_count", frozenset((_GS, _MESH))),
    # Tessellation
    ("load_tess_coord(_xy)?", frozenset((_TES,))),
    ("load_patch_vertices_in", frozenset((_TCS, _TES))),
    ("load_tess_level_(outer|inner)(_default)?", frozenset((_TCS, _TES))),
    ("memory_barrier_tcs_patch", frozenset((_TCS,))),
    ("load_invocation_id", frozenset((_TCS, _GS))),
    # Vertices; the vertex shader may run inside the next stage
    (
        "load_(vertex_id|vertex_id_zero_base|first_vertex|base_vertex|instance_id|base_instance)",
        frozenset((_VS, _TCS, _TES, _GS)),
    ),
    ("load_is_indexed_draw", frozenset((_VS, _TCS, _TES, _GS))),
    # Task and mesh
    ("launch_mesh_workgroups(_with_payload_deref)?|store_task_payload", frozenset((_TASK,))),
    ("load_task_payload", frozenset((_TASK, _MESH))),
    ("task_payload_atomic.*", frozenset((_TASK,))),
    ("load_mesh_view_.*", frozenset((_TASK, _MESH))),
    # Compute
    ("load_(local_invocation_id|num_workgroups|num_work_groups)", _WORKGROUPS | _RAY_TRACING),
    ("load_(workgroup_id|work_group_id)", _WORKGROUPS | _RAY_TRACING),
    ("load_kernel_input|load_work_dim", frozenset((Stage.KERNEL, Stage.COMPUTE))),
    ("(load|store)_shared|shared_atomic.*", _ALL - {_FS}),
    ("control_barrier", _ALL - {_FS} - _RAY_TRACING),
    # Rays
    ("report_ray_intersection", frozenset((Stage.INTERSECTION,))),
    ("ignore_ray_intersection|terminate_ray", frozenset((Stage.ANY_HIT, Stage.INTERSECTION))),
    ("trace_ray", frozenset((Stage.RAYGEN, Stage.CLOSEST_HIT, Stage.MISS))),
    ("execute_callable", _RAY_TRACING - {Stage.ANY_HIT, Stage.INTERSECTION}),
)


@lru_cache(2048)
def stages_of_intrinsic(name: str) -> frozenset[Stage]:
    """The stages that may hold the intrinsic."""
    return next((stages for pattern, stages in _STAGES if re.fullmatch(pattern, name) is not None), _ALL)


def stage_words(stages: frozenset[Stage]) -> str:
    """`TCS, TES and GS`, in pipeline order."""
    names = [stage.abbreviation for stage in Stage if stage in stages]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Variable modes by stage; modes that are not here exist everywhere.
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
    )
)


def stages_of_mode(mode: str) -> frozenset[Stage]:
    """The stages that may hold a variable of the mode."""
    return _MODE_STAGES.get(mode, _ALL)
