"""Divergence rules of intrinsics: Mesa's nir_divergence_analysis.c as tables.

A rule lists the relevant sources, and when the value diverges regardless of its sources.
Names that only exist in older or newer releases use the rule of a similar intrinsic (`_RELATIVES`);
an unknown intrinsic counts as divergent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.model.access import SMEM_AMD
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.stage import Stage


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether a value is divergent regardless of its sources; any of the named driver options inverts it.

    `because` replaces the rule's for a stage with its own reason.
    """

    divergent: bool
    turned_by: tuple[str, ...] = ()
    because: str = ""

    def holds(self, options: DivergenceOptions) -> bool:
        """Return whether the value is divergent for this driver."""
        return self.divergent != any(getattr(options, name) for name in self.turned_by)


NEVER = Condition(False)
ALWAYS = Condition(True)


class Tearing(Enum):
    """Whether a load can observe another subgroup's store partially (option `uniform_load_tears`)."""

    NO = "no"
    UNLESS_READONLY = "unless the access is readonly"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class IntrinsicRule:
    """Divergence rule of an intrinsic.

    `because` and `convergent_because` complete a sentence that starts with the intrinsic's name.
    `by_stage` replaces `own` in some stages. `sources` are the numbers of the relevant sources, None
    for all; `all_must_diverge` if all of them must diverge. `resource` is the number of a source that is only
    relevant with the `non-uniform` flag. `one_per_primitive` lists the stages where the value
    is the same for all vertices of a primitive if its sources are; `one_per_subgroup` marks values uniform
    over a subgroup but not over the vertices of a primitive, which may be in several subgroups.
    """

    because: str
    convergent_because: str
    own: Condition = NEVER
    by_stage: Mapping[Stage, Condition] = field(default_factory=dict)
    sources: tuple[int, ...] | None = ()
    all_must_diverge: bool = False
    resource: int | None = None
    tearing: Tearing = Tearing.NO
    one_per_primitive: frozenset[Stage] = frozenset()
    one_per_subgroup: bool = False

    def is_same_in_primitive(self, stage: Stage | None, options: DivergenceOptions) -> bool:
        """Return whether, for vertex divergence, the rule excludes divergence except by sources."""
        return options.vertex and stage in self.one_per_primitive

    def is_divergent_itself(self, stage: Stage | None, options: DivergenceOptions) -> bool:
        """Return whether the value is divergent regardless of its sources and access."""
        if self.is_same_in_primitive(stage, options):
            return False
        if options.vertex and self.one_per_subgroup:
            return True
        return self._condition(stage).holds(options)

    def why_divergent_itself(self, stage: Stage | None) -> str:
        """Return the end of the sentence with the reason, for that stage."""
        return self._condition(stage).because or self.because

    def _condition(self, stage: Stage | None) -> Condition:
        return self.own if stage is None else self.by_stage.get(stage, self.own)


_SOURCES_ALIKE = "computes the same from the same sources"


def _varying(because: str) -> IntrinsicRule:
    return IntrinsicRule(because, "", ALWAYS)


def _uniform(because: str) -> IntrinsicRule:
    return IntrinsicRule("", because)


_PER_INVOCATION = _varying("differs between invocations")
_OWN_MEMORY = _varying("reads what belongs to one invocation only")
_INTERPOLATED = _varying("is interpolated, or chosen, for every fragment anew")
_ATOMIC = _varying("takes its turn among the invocations, and each sees another value")
_LANES = _varying("is made from the position of the invocation within its subgroup")
_RAY = _varying("belongs to the ray of one invocation")
_LAYOUT = _varying("is spread over the invocations by the hardware")
_DRAW = _uniform("is the same for the whole draw or dispatch")
_DRIVER = _uniform("is state that the driver sets for the whole draw or dispatch")
_WAVE = _uniform("exists once for all invocations that run together")
_BUILD = _uniform("is settled when the shader is compiled or loaded")
_SCALAR_LOAD = _uniform("loads once for all invocations")
_CROSS_LANE = IntrinsicRule(
    "has one value in each subgroup, and the vertices of a primitive may sit in several",
    "has one value for the whole subgroup",
    one_per_subgroup=True,
)
_FROM_SOURCES = IntrinsicRule("", _SOURCES_ALIKE, sources=None)
_MEMORY = replace(_FROM_SOURCES, convergent_because="reads one address", tearing=Tearing.UNLESS_READONLY)
_OTHER_STORES = "may see the store of another subgroup in some invocations only"
_UNKNOWN = _varying("is an intrinsic of which no convergence rule is known")

_SEVERAL_PRIMITIVES = "differs between primitives, and a subgroup may hold fragments of several"
_SEVERAL_PATCHES = "differs between patches, and a subgroup may hold several"
_PRIMITIVE_OF_FRAGMENT = Condition(True, ("single_prim_per_subgroup",), _SEVERAL_PRIMITIVES)
_PATCH_OF_TCS = Condition(True, ("single_patch_per_tcs_subgroup",), _SEVERAL_PATCHES)
_PATCH_OF_TES = Condition(True, ("single_patch_per_tes_subgroup",), _SEVERAL_PATCHES)
_VIEW = Condition(True, ("view_index_uniform",))
_VIEW_OF_FRAGMENT = Condition(True, ("view_index_uniform", "single_prim_per_subgroup"))

_GROUPS: tuple[tuple[IntrinsicRule, str], ...] = (
    (
        _CROSS_LANE,
        """shader_clock ballot ballot_relaxed as_uniform read_invocation read_first_invocation
        read_invocation_cond_ir3 read_getlast_ir3 vote_any vote_all vote_feq vote_ieq first_invocation
        last_invocation load_subgroup_id shared_append_amd shared_consume_amd reduce_clusters_ir3""",
    ),
    (
        _DRAW,
        """load_work_dim load_num_workgroups load_workgroup_size load_num_subgroups load_subgroup_size
        load_ray_launch_size load_base_instance load_base_vertex load_first_vertex load_draw_id
        load_is_indexed_draw load_patch_vertices_in load_base_global_invocation_id
        load_base_workgroup_id load_num_vertices load_tess_level_inner_default
        load_tess_level_outer_default""",
    ),
    (
        _DRIVER,
        """load_preamble load_push_constant load_push_constant_zink load_viewport_scale
        load_user_clip_plane load_viewport_x_scale load_viewport_y_scale load_viewport_z_scale
        load_viewport_offset load_viewport_x_offset load_viewport_y_offset load_viewport_z_offset
        load_cull_triangle_viewport_xy_scale_and_offset_amd
        load_cull_line_viewport_xy_scale_and_offset_amd load_blend_const_color_a_float
        load_blend_const_color_b_float load_blend_const_color_g_float load_blend_const_color_r_float
        load_blend_const_color_rgba load_blend_const_color_aaaa8888_unorm
        load_blend_const_color_rgba8888_unorm load_line_width load_aa_line_width load_xfb_address
        load_fb_layers_v3d load_fep_w_v3d load_tcs_num_patches_amd load_tcs_tess_levels_to_tes_amd
        load_tcs_primitive_mode_amd load_sample_positions_amd load_rasterization_samples_amd
        load_streamout_config_amd load_streamout_buffer_amd load_sample_positions_pan
        load_provoking_vtx_amd load_pipeline_stat_query_enabled_amd load_prim_gen_query_enabled_amd
        load_prim_xfb_query_enabled_amd load_clamp_vertex_color_amd load_cull_front_face_enabled_amd
        load_cull_back_face_enabled_amd load_cull_ccw_amd load_cull_small_triangles_enabled_amd
        load_cull_small_lines_enabled_amd load_cull_any_enabled_amd
        load_cull_small_triangle_precision_amd load_cull_small_line_precision_amd load_user_data_amd
        load_force_vrs_rates_amd load_lshs_vertex_stride_amd load_esgs_vertex_stride_amd
        load_hs_out_patch_data_offset_amd load_clip_half_line_width_amd
        load_num_vertices_per_primitive_amd load_provoking_vtx_in_prim_amd load_alpha_reference_amd
        load_barycentric_optimize_amd load_poly_line_smooth_enabled load_rasterization_primitive_amd
        load_debug_log_desc_amd load_xfb_state_address_gfx12_amd load_vs_primitive_stride_ir3
        load_vs_vertex_stride_ir3 load_hs_patch_stride_ir3 load_tess_factor_base_ir3
        load_tess_param_base_ir3 load_primitive_location_ir3 load_fbfetch_image_fmask_desc_amd
        load_fbfetch_image_desc_amd load_polygon_stipple_buffer_amd load_printf_buffer_address
        load_printf_buffer_size load_printf_base_identifier load_samples_log2_agx
        load_constant_base_ptr load_sbt_base_amd""",
    ),
    (
        _WAVE,
        """load_subgroup_id_shift_ir3 load_ring_tess_factors_amd load_ring_tess_offchip_amd
        load_ring_tess_factors_offset_amd load_ring_tess_offchip_offset_amd load_ring_mesh_scratch_amd
        load_ring_mesh_scratch_offset_amd load_ring_esgs_amd load_ring_es2gs_offset_amd
        load_ring_task_draw_amd load_ring_task_payload_amd load_ring_gsvs_amd
        load_ring_gs2vs_offset_amd load_streamout_write_index_amd load_streamout_offset_amd
        load_task_ring_entry_amd load_ring_attr_amd load_ring_attr_offset_amd
        load_workgroup_num_input_vertices_amd load_workgroup_num_input_primitives_amd
        load_merged_wave_info_amd load_scalar_arg_amd load_scalar_arg_wg_div_amd
        load_call_return_address_amd load_topology_id_intel load_resume_shader_address_amd
        load_btd_global_arg_addr_intel load_btd_local_arg_addr_intel load_ray_num_dss_rt_stacks_intel
        load_ordered_id_amd load_gs_wave_id_amd load_btd_shader_type_intel load_core_id_agx
        load_active_subgroup_count_agx preamble_start_ir3 unit_test_uniform_amd
        optimization_barrier_sgpr_amd""",
    ),
    (
        _BUILD,
        """load_reloc_const_intel load_inline_data_intel load_lds_ngg_scratch_base_amd
        load_lds_ngg_gs_out_vertex_base_amd cmat_length""",
    ),
    (
        _SCALAR_LOAD,
        """load_smem_amd load_ubo_uniform_block_intel load_ssbo_uniform_block_intel
        load_shared_uniform_block_intel load_global_constant_uniform_block_intel""",
    ),
    (
        _MEMORY,
        "load_global load_global_2x32 load_global_ir3 load_global_nv load_deref",
    ),
    (
        _FROM_SOURCES,
        """convert_alu_types ddx ddx_fine ddx_coarse ddy ddy_fine ddy_coarse ballot_bitfield_extract
        ballot_find_lsb ballot_find_msb ballot_bit_count_reduce rotate shuffle_xor shuffle_up
        shuffle_down shuffle_xor_uniform_ir3 shuffle_up_uniform_ir3 shuffle_down_uniform_ir3
        quad_broadcast quad_swap_horizontal quad_swap_vertical quad_swap_diagonal quad_vote_any
        quad_vote_all load_shared2_amd load_global_constant load_uniform load_constant
        load_sample_pos_from_id load_kernel_input load_task_payload load_buffer_amd
        load_typed_buffer_amd image_levels image_deref_levels bindless_image_levels image_samples
        image_deref_samples bindless_image_samples image_size image_deref_size bindless_image_size
        image_descriptor_amd image_deref_descriptor_amd bindless_image_descriptor_amd
        strict_wqm_coord_amd copy_deref vulkan_resource_index vulkan_resource_reindex
        load_vulkan_descriptor atomic_counter_read atomic_counter_read_deref quad_swizzle_amd
        masked_swizzle_amd is_sparse_texels_resident is_sparse_resident_zink sparse_residency_code_and
        bvh64_intersect_ray_amd image_deref_load_param_intel image_load_raw_intel get_ubo_size
        load_push_data_intel resource_intel load_ssbo_address load_global_constant_bounded
        load_global_constant_offset load_reg
        load_reg_indirect load_constant_agx load_const_ir3 load_frag_size_ir3 load_frag_offset_ir3
        bindless_resource_ir3 ray_intersection_ir3 optimization_barrier_vgpr_amd""",
    ),
    (
        _INTERPOLATED,
        """load_interpolated_input load_color0 load_color1 load_point_coord
        load_point_coord_maybe_flipped load_line_coord load_barycentric_pixel
        load_barycentric_centroid load_barycentric_sample load_barycentric_model
        load_barycentric_at_sample load_barycentric_at_offset load_barycentric_at_offset_nv
        load_barycentric_coord_pixel load_barycentric_coord_centroid load_barycentric_coord_sample
        load_barycentric_coord_at_sample load_barycentric_coord_at_offset
        load_persp_center_rhw_ir3 interp_deref_at_offset interp_deref_at_sample
        interp_deref_at_centroid interp_deref_at_vertex ipa_nv load_coefficients_agx ldtram_nv""",
    ),
    (
        _PER_INVOCATION,
        """load_sample_id load_sample_id_no_per_sample load_sample_mask_in load_sample_mask
        load_tess_coord load_tess_coord_xy load_frag_coord load_frag_coord_zw load_frag_coord_zw_pan
        load_frag_coord_unscaled_ir3 load_pixel_coord load_fully_covered load_sample_pos
        load_sample_pos_or_center load_vertex_id_zero_base load_vertex_id
        load_local_invocation_id load_local_invocation_index load_global_invocation_id
        load_global_invocation_index load_helper_invocation is_helper_invocation
        load_tess_rel_patch_id_amd load_gs_vertex_offset_amd load_packed_passthrough_primitive_amd
        load_initial_edgeflags_amd load_vector_arg_amd load_btd_stack_id_intel
        load_gs_header_ir3 load_tcs_header_ir3 load_rel_patch_id_ir3 load_helper_op_id_agx
        load_helper_arg_lo_agx load_helper_arg_hi_agx unit_test_divergent_amd
        load_rt_arg_scratch_offset_amd""",
    ),
    (
        _LANES,
        """inverse_ballot load_subgroup_invocation load_subgroup_eq_mask load_subgroup_ge_mask
        load_subgroup_gt_mask load_subgroup_le_mask load_subgroup_lt_mask exclusive_scan
        exclusive_scan_clusters_ir3 ballot_bit_count_exclusive ballot_bit_count_inclusive
        write_invocation_amd mbcnt_amd lane_permute_16_amd dpp16_shift_amd elect elect_any_ir3
        is_subgroup_invocation_lt_amd brcst_active_ir3 load_active_subgroup_invocation_agx
        quad_ballot_agx""",
    ),
    (
        _OWN_MEMORY,
        """load_scratch load_scratch_nv load_scratch_base_ptr load_stack stack_map_agx stack_unmap_agx
        load_local_pixel_agx load_tlb_color_brcm load_exported_agx""",
    ),
    (
        _ATOMIC,
        """gds_atomic_add_amd ordered_xfb_counter_add_gfx11_amd ordered_add_loop_gfx12_amd
        xfb_counter_sub_gfx11_amd printf""",
    ),
    (
        _RAY,
        """load_intersection_opaque_amd load_ray_launch_id load_ray_instance_custom_index
        load_ray_geometry_index load_ray_world_direction load_ray_world_origin load_ray_object_origin
        load_ray_object_direction load_ray_t_min load_ray_t_max load_ray_object_to_world
        load_ray_world_to_object load_ray_hit_kind load_ray_flags load_cull_mask
        report_ray_intersection rq_proceed rq_load load_ray_triangle_vertex_positions""",
    ),
    (
        _LAYOUT,
        """load_global_block_intel emit_vertex_nv end_primitive_nv cmat_extract cmat_muladd_amd
        dpas_intel isberd_nv al2p_nv ald_nv load_agx""",
    ),
)

_BUFFER = IntrinsicRule("", "reads one place of one buffer", resource=0, sources=(1,))
_IMAGE = IntrinsicRule(
    "", "reads one texel of one image", resource=0, sources=(1, 2, 3), tearing=Tearing.UNLESS_READONLY
)
_OF_PATCH = IntrinsicRule(
    _SEVERAL_PATCHES,
    "belongs to the one patch of the subgroup",
    ALWAYS,
    {Stage.TESS_CTRL: _PATCH_OF_TCS, Stage.TESS_EVAL: _PATCH_OF_TES},
)
_OF_PRIMITIVE = IntrinsicRule(
    _SEVERAL_PRIMITIVES,
    "belongs to the one primitive of the subgroup",
    _PRIMITIVE_OF_FRAGMENT,
)
_INPUT = IntrinsicRule(
    "reads the inputs of each invocation",
    "reads an input that the invocations share",
    ALWAYS,
    {Stage.FRAGMENT: _PRIMITIVE_OF_FRAGMENT, Stage.TESS_EVAL: _PATCH_OF_TES},
    sources=(0,),
    one_per_primitive=frozenset({Stage.TESS_EVAL}),
)
_IMAGE_FRAGMENTS = replace(_IMAGE, sources=(1,))
_IMAGE_ADDRESS = IntrinsicRule("", "is the address of one texel", resource=0, sources=(1, 2))
_RESOURCE_SIZE = IntrinsicRule("", "is the size of one buffer", resource=0)
_WORKGROUP = IntrinsicRule(
    "belongs to a workgroup, and a subgroup may hold several",
    "is the same for the whole workgroup",
    by_stage={
        Stage.COMPUTE: Condition(False, ("multiple_workgroup_per_compute_subgroup",)),
    },
)

_SINGLE: dict[str, IntrinsicRule] = {
    "load_shader_record_ptr": IntrinsicRule(
        "belongs to the shader record of one invocation",
        "is the same for the subgroup on this driver",
        Condition(True, ("shader_record_ptr_uniform",)),
    ),
    "load_frag_shading_rate": IntrinsicRule(
        "may differ between the fragments of a subgroup",
        "is the same for the subgroup on this driver",
        Condition(True, ("single_frag_shading_rate_per_subgroup",)),
    ),
    "load_invocation_id": IntrinsicRule(
        "differs between invocations",
        "is the same for the subgroup on this driver",
        Condition(True, ("invocation_id_uniform",)),
    ),
    "load_attribute_payload_intel": _INPUT,
    "load_input": _INPUT,
    "load_per_primitive_input": _INPUT,
    "load_attribute_pan": IntrinsicRule("", "reads the attribute of one vertex", sources=(0, 1, 2)),
    "load_per_vertex_input": IntrinsicRule(
        "reads the vertices of the invocation's own primitive",
        "reads a vertex of the one patch of the subgroup",
        ALWAYS,
        {Stage.TESS_EVAL: _PATCH_OF_TES},
        sources=(0, 1),
    ),
    "load_input_vertex": replace(_OF_PRIMITIVE, sources=(1,)),
    "load_fs_input_interp_deltas": replace(_OF_PRIMITIVE, sources=(0,)),
    "load_layer_id": _OF_PRIMITIVE,
    "load_front_face": _OF_PRIMITIVE,
    "load_front_face_fsign": _OF_PRIMITIVE,
    "load_back_face_agx": _OF_PRIMITIVE,
    "load_output": IntrinsicRule(
        "reads the outputs of the invocation's own patch or pixel",
        "reads an output that the invocations share",
        ALWAYS,
        {Stage.TESS_CTRL: _PATCH_OF_TCS, Stage.TASK: NEVER, Stage.MESH: NEVER},
        sources=(0,),
    ),
    "load_per_vertex_output": IntrinsicRule(
        "reads the outputs of the invocation's own patch",
        "reads an output that the invocations share",
        by_stage={Stage.TESS_CTRL: _PATCH_OF_TCS},
        sources=(0, 1),
    ),
    "load_per_view_output": IntrinsicRule(
        "reads the outputs of the invocation's own patch",
        "reads an output that the invocations share",
        by_stage={Stage.TESS_CTRL: _PATCH_OF_TCS},
        sources=(0, 1),
    ),
    "load_per_primitive_output": IntrinsicRule(
        "", "reads an output that the invocations share", sources=(0, 1)
    ),
    "load_view_index": IntrinsicRule(
        "may differ between the invocations of a subgroup",
        "is the same for the subgroup on this driver",
        _VIEW,
        {Stage.FRAGMENT: _VIEW_OF_FRAGMENT},
    ),
    "load_instance_id": IntrinsicRule(
        "differs between instances, and a subgroup may hold vertices of several",
        "is the same for all vertices of a primitive",
        ALWAYS,
        one_per_primitive=frozenset(Stage),
    ),
    "load_primitive_id": IntrinsicRule(
        "differs between primitives, and a subgroup may hold several",
        "is the same for all invocations of a primitive",
        ALWAYS,
        {
            Stage.FRAGMENT: _PRIMITIVE_OF_FRAGMENT,
            Stage.TESS_CTRL: _PATCH_OF_TCS,
            Stage.TESS_EVAL: _PATCH_OF_TES,
        },
        one_per_primitive=frozenset({Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY}),
    ),
    "load_tess_level_inner": _OF_PATCH,
    "load_tess_level_outer": _OF_PATCH,
    "load_workgroup_id": _WORKGROUP,
    "load_workgroup_index": _WORKGROUP,
    "load_ubo": _BUFFER,
    "load_ubo_vec4": _BUFFER,
    "ldc_nv": _BUFFER,
    "ldcx_nv": _BUFFER,
    "load_ssbo": replace(_BUFFER, tearing=Tearing.UNLESS_READONLY),
    "load_ssbo_ir3": replace(_BUFFER, tearing=Tearing.UNLESS_READONLY),
    "load_uav_ir3": replace(_BUFFER, tearing=Tearing.UNLESS_READONLY),
    "load_shared": replace(_FROM_SOURCES, sources=(0,), tearing=Tearing.YES),
    "load_shared_ir3": replace(_FROM_SOURCES, sources=(0,), tearing=Tearing.YES),
    "get_ssbo_size": _RESOURCE_SIZE,
    "deref_buffer_array_length": _RESOURCE_SIZE,
    **{
        f"{prefix}_{name}": rule
        for prefix in ("image", "image_deref", "bindless_image")
        for name, rule in (
            ("load", _IMAGE),
            ("sparse_load", _IMAGE),
            ("samples_identical", _IMAGE_FRAGMENTS),
            ("fragment_mask_load_amd", _IMAGE_FRAGMENTS),
            ("texel_address", _IMAGE_ADDRESS),
        )
    },
    "load_param": _varying("is a parameter, for which a caller may pass a divergent value"),
    "shuffle": IntrinsicRule(
        "", "gives every invocation the same value", sources=(0, 1), all_must_diverge=True
    ),
}

_SCAN = IntrinsicRule(
    "has one value in each subgroup, and the vertices of a primitive may sit in several",
    "gives the same for any number of equal values",
    sources=(0,),
    one_per_subgroup=True,
)
_COUNTING_SCAN = _varying("depends on how many invocations take part before this one")
_IDEMPOTENT = frozenset({"umin", "imin", "fmin", "umax", "imax", "fmax", "iand", "ior"})


def _scan_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    return _SCAN if instr.indices.get("reduction_op") in _IDEMPOTENT else _COUNTING_SCAN


def _reduce_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    # A cluster size of 0 stands for the whole subgroup.
    return _CROSS_LANE if instr.int_index("cluster_size") == 0 else _scan_rule(instr)


def _global_amd_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    return _SCALAR_LOAD if instr.int_index("access") & SMEM_AMD else _FROM_SOURCES


def _sysval_nv_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    if instr.int_index("divergent", 1):
        return _PER_INVOCATION
    return _WAVE


def _decl_reg_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    if str(instr.indices.get("divergent", 1)) in ("0", "false"):
        return _uniform("declares a register for convergent values")
    return _varying("declares a register for divergent values")


_BY_INDEX: dict[str, Callable[[IntrinsicInstr], IntrinsicRule]] = {
    "reduce": _reduce_rule,
    "inclusive_scan": _scan_rule,
    "inclusive_scan_clusters_ir3": _scan_rule,
    "load_global_amd": _global_amd_rule,
    "load_sysval_nv": _sysval_nv_rule,
    "decl_reg": _decl_reg_rule,
}

# Names in other releases, and driver variants of generic intrinsics.
_RELATIVES = {
    "byte_permute_amd": "quad_broadcast",
    "get_buffer_size": "get_ssbo_size",
    "group_all": "vote_all",
    "interp_var_at_centroid": "interp_deref_at_centroid",
    "interp_var_at_offset": "interp_deref_at_offset",
    "interp_var_at_sample": "interp_deref_at_sample",
    "load_alpha_ref_float": "load_push_constant",
    "load_base_work_group_id": "load_base_workgroup_id",
    "load_cull_small_prim_precision_amd": "load_cull_small_triangle_precision_amd",
    "load_cull_small_primitives_enabled_amd": "load_cull_small_triangles_enabled_amd",
    "load_desc_set_address_intel": "load_push_constant",
    "load_global_const_block_intel": "load_global_constant_uniform_block_intel",
    "load_global_invocation_id_zero_base": "load_global_invocation_id",
    "load_input_indirect": "load_input",
    "load_instance_index": "load_instance_id",
    "load_local_group_size": "load_workgroup_size",
    "load_mesh_inline_data_intel": "load_inline_data_intel",
    "load_num_work_groups": "load_num_workgroups",
    "load_output_indirect": "load_output",
    "load_per_vertex_input_indirect": "load_per_vertex_input",
    "load_per_vertex_output_indirect": "load_per_vertex_output",
    "load_ptr_dxil": "load_vulkan_descriptor",
    "load_ray_launch_size_addr_amd": "load_ray_launch_size",
    "load_rt_dynamic_callable_stack_base_amd": "load_sbt_base_amd",
    "load_sbt_amd": "load_constant",
    "load_scratch_dxil": "load_scratch",
    "load_shader_query_enabled_amd": "load_prim_gen_query_enabled_amd",
    "load_shared_dxil": "load_shared",
    "load_ssbo_indirect": "load_ssbo",
    "load_ssbo_intel": "load_ssbo",
    "load_task_ib_addr": "load_push_constant",
    "load_task_ib_stride": "load_push_constant",
    "load_tess_coord_r600": "load_tess_coord",
    "load_texture_base_agx": "load_push_constant",
    "load_texture_rect_scaling": "load_push_constant",
    "load_tlb_color_v3d": "load_tlb_color_brcm",
    "load_ubo_dxil": "load_ubo",
    "load_ubo_indirect": "load_ubo",
    "load_uniform_indirect": "load_uniform",
    "load_viewport_xy_scale_and_offset": "load_cull_triangle_viewport_xy_scale_and_offset_amd",
    "ordered_xfb_counter_add_amd": "ordered_xfb_counter_add_gfx11_amd",
    "load_work_group_id": "load_workgroup_id",
    "load_workgroup_id_zero_base": "load_workgroup_id",
    "time": "shader_clock",
}

OVERRIDES_22_3: dict[str, IntrinsicRule] = {
    # Uniform up to 22.3; divergent since, because they are lane masks.
    **{f"load_subgroup_{relation}_mask": _WAVE for relation in ("eq", "ge", "gt", "le", "lt")},
    "load_global_block_intel": _SCALAR_LOAD,
    # Outside of the fragment shader the view was assumed to be uniform.
    "load_view_index": IntrinsicRule(
        "may differ between the invocations of a subgroup",
        "is the same for the subgroup",
        by_stage={Stage.FRAGMENT: _VIEW_OF_FRAGMENT},
    ),
    "load_patch_vertices_in": IntrinsicRule(
        "was taken to differ between patches up to Mesa 22.3",
        "is the same for the whole draw",
        by_stage={Stage.TESS_EVAL: _PATCH_OF_TES},
    ),
    "load_input": replace(_INPUT, by_stage={**_INPUT.by_stage, Stage.MESH: NEVER}),
}

_RULES: dict[str, IntrinsicRule] = {
    **{name: rule for rule, names in _GROUPS for name in names.split()},
    **_SINGLE,
}


def rule_of(instr: IntrinsicInstr, release: Release) -> IntrinsicRule:
    """Return the rule for an intrinsic instruction; an unknown one is divergent."""
    chosen = _BY_INDEX.get(instr.name)
    return named_rule(instr.name, release) if chosen is None else chosen(instr)


def named_rule(name: str, release: Release) -> IntrinsicRule:
    """Return the rule for an intrinsic name, for intrinsics without relevant indices."""
    if release is Release.MESA_22_3 and name in OVERRIDES_22_3:
        return OVERRIDES_22_3[name]
    rule = _RULES.get(name) or _RULES.get(_RELATIVES.get(name, ""))
    if rule is not None:
        return rule
    # Atomics had one intrinsic for each operation up to 2023: ssbo_atomic_add, global_atomic_umax_amd.
    return _ATOMIC if "_atomic" in name or name.startswith("atomic_counter_") else _UNKNOWN


def is_known(name: str) -> bool:
    """Return whether that intrinsic has a rule, its own or that of a similar one."""
    return name in _BY_INDEX or named_rule(name, Release.MESA_25_0) is not _UNKNOWN


SYSTEM_VALUE_INTRINSICS: Mapping[str, str] = {
    # System values whose load intrinsic is not `load_` plus the lower-case name.
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_CENTROID": "load_barycentric_centroid",
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_PIXEL": "load_barycentric_pixel",
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_SAMPLE": "load_barycentric_sample",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_CENTROID": "load_barycentric_centroid",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_PIXEL": "load_barycentric_pixel",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_SAMPLE": "load_barycentric_sample",
    "SYSTEM_VALUE_BARYCENTRIC_PULL_MODEL": "load_barycentric_model",
    "SYSTEM_VALUE_VERTEX_CNT": "load_patch_vertices_in",
    "SYSTEM_VALUE_VERTICES_IN": "load_patch_vertices_in",
}


def system_value_rule(location: str | None, release: Release) -> IntrinsicRule:
    """Return the rule for a system value variable, from its printed location."""
    if location is None:
        return _UNKNOWN
    name = location.partition(".")[0]
    plain = "load_" + name.removeprefix("SYSTEM_VALUE_").lower()
    return named_rule(SYSTEM_VALUE_INTRINSICS.get(name, plain), release)


UNIFORM_MODES = frozenset({"uniform", "ubo", "ssbo", "shared", "task_payload", "global", "image"})
"""The variable modes whose variables are one object for all invocations (25.0)."""

OTHER_STORES = _OTHER_STORES
"""The end of the sentence for a load that may tear."""
