"""The numbers of system values in Mesa 25.0 (`gl_system_value`), as header masks count them."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.model.instructions import IntrinsicInstr

_NUMBERS: Mapping[str, int] = {
    name: number
    for first, names in {
        0: (
            "subgroup_size",
            "subgroup_invocation",
            "subgroup_eq_mask",
            "subgroup_ge_mask",
            "subgroup_gt_mask",
            "subgroup_le_mask",
            "subgroup_lt_mask",
            "num_subgroups",
            "subgroup_id",
            "vertex_id",
            "instance_id",
            "instance_index",
            "vertex_id_zero_base",
            "base_vertex",
            "first_vertex",
            "is_indexed_draw",
            "base_instance",
            "draw_id",
            "invocation_id",
            "frag_coord",
            "pixel_coord",
            "point_coord",
            "line_coord",
            "front_face",
            "front_face_fsign",
            "sample_id",
            "sample_pos",
            "sample_pos_or_center",
            "sample_mask_in",
            "helper_invocation",
            "color0",
            "color1",
        ),
        33: (
            "tess_coord",
            "patch_vertices_in",
            "primitive_id",
            "tess_level_outer",
            "tess_level_inner",
            "tess_level_outer_default",
            "tess_level_inner_default",
            "local_invocation_id",
            "local_invocation_index",
            "global_invocation_id",
            "base_global_invocation_id",
            "global_invocation_index",
            "workgroup_id",
            "base_workgroup_id",
            "workgroup_index",
            "num_workgroups",
            "workgroup_size",
        ),
        54: ("view_index",),
    }.items()
    for number, name in enumerate(names, first)
}
_PERSPECTIVE = {"pixel": 56, "sample": 57, "centroid": 58}
_LINEAR = {"pixel": 60, "centroid": 61, "sample": 62}
_PERSPECTIVE_MODES = ("INTERP_MODE_SMOOTH", "INTERP_MODE_NONE")


def system_value_bit(instr: IntrinsicInstr) -> int | None:
    """The number of the system value that an intrinsic loads; None for one that is not counted."""
    name = instr.name.removeprefix("load_")
    if name == instr.name:
        return None
    kind = name.removeprefix("barycentric_")
    if kind == name:
        return _NUMBERS.get(name)
    mode = instr.indices.get("interp_mode")
    if mode in _PERSPECTIVE_MODES:
        return _PERSPECTIVE.get(kind)
    return _LINEAR.get(kind) if mode == "INTERP_MODE_NOPERSPECTIVE" else None
