"""Intentional changes of Mesa passes to the contract between a shader and its surroundings.

Lowerings to other words (a sampler variable to a number, a UBO load to one of vec4) and lowerings of a
driver's own need no row to be no error: `snapshots` reads the words from both sides, and leaves differences
of a driver's own unchecked. A row says more: which outputs a pass leaves alone, or that it renumbers within
one form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from nirls.ir.model.slots import VARYING_SLOTS


@dataclass(frozen=True, slots=True)
class ContractRule:
    """A change that passes with these names (shell patterns) may make.

    `outputs` are the slots whose contents they set or remove; with `keeps_writes` they are still written
    wherever they were. `links` is set if they change the interface of two stages at once, `readdresses` if
    they access the same external state in another form (a variable by an offset), `renumbers` if they may
    also change the numbers of buffers and textures within one form, `results` if the shader computes
    something else on purpose, so that a difference proves nothing, `narrows` if it may compute in 16 bits,
    `texels` if they swizzle or convert what textures return, by formats that a dump does not have.
    """

    passes: tuple[str, ...]
    what: str
    outputs: frozenset[str] = frozenset()
    keeps_writes: bool = False
    links: bool = False
    readdresses: bool = False
    renumbers: bool = False
    results: bool = False
    narrows: bool = False
    texels: bool = False


_CLIP_DISTANCES = frozenset(("CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1", "CLIP_VERTEX"))
_COLORS = frozenset(("COLOR", *(f"DATA{number}" for number in range(8))))
_BINNING_OUTPUTS = frozenset(("POS", "PSIZ", "CLIP_DIST0", "CLIP_DIST1", "VIEWPORT"))
"""Mesa: `output_slot_used_for_binning` of ir3_nir.c."""

RULES: tuple[ContractRule, ...] = (
    ContractRule(
        (
            *("nir_opt_varyings*", "nir_link_*", "gl_nir_link_*", "*_link_shaders", "*_link_varyings"),
            *("nir_remove_unused_varyings", "nir_remove_unused_io_vars", "nir_compact_varyings"),
            *("nir_lower_io_arrays_to_elements", "nir_assign_linked_io_var_locations"),
        ),
        "changes the interface of two stages at once",
        links=True,
    ),
    ContractRule(
        ("lower_binning",),
        "removes the outputs that binning does not use",
        frozenset(VARYING_SLOTS) - _BINNING_OUTPUTS,
    ),
    ContractRule(
        ("si_nir_kill_outputs",),
        "removes the outputs that the variant does not need",
        frozenset(VARYING_SLOTS) - {"POS"},
    ),
    ContractRule(
        (
            *("nir_lower_point_size*", "nir_lower_default_point_size", "gl_nir_add_point_size"),
            *(
                "agx_nir_lower_point_size",
                "hk_nir_insert_psiz_write",
            ),
        ),
        "sets the point size",
        frozenset(("PSIZ",)),
        keeps_writes=True,
    ),
    ContractRule(("dxil_spirv_nir_discard_point_size_var",), "removes the point size", frozenset(("PSIZ",))),
    ContractRule(
        (
            *(
                "gl_nir_zero_initialize_clip*",
                "nir_lower_clip_vs",
                "nir_lower_clip_gs",
                "nir_lower_clip_cull_*",
            ),
            *("nir_separate_merged_clip_cull_io", "nir_merge_clip_cull*", "nir_zero_initialize_clip*"),
        ),
        "sets the clip distances",
        _CLIP_DISTANCES,
    ),
    ContractRule(
        ("nir_lower_clip_disable",),
        "sets the clip distances that are disabled",
        _CLIP_DISTANCES,
        keeps_writes=True,
    ),
    ContractRule(
        (
            *(
                "nir_lower_clip_halfz",
                "nir_lower_viewport_transform",
                "*_lower_viewport",
                "nir_lower_position_*",
            ),
            *("d3d12_lower_yflip", "d3d12_lower_depth_range", "dxil_spirv_nir_lower_yz_flip"),
        ),
        "transforms the position",
        frozenset(("POS",)),
        keeps_writes=True,
    ),
    ContractRule(
        ("nir_lower_passthrough_edgeflags", "nir_lower_edgeflags", "*_fix_edge_flags"),
        "sets the edge flag",
        frozenset(("EDGE",)),
    ),
    ContractRule(("radv_nir_lower_viewport_to_zero",), "sets the viewport", frozenset(("VIEWPORT",))),
    ContractRule(
        (
            *("nir_lower_multiview", "anv_nir_lower_multiview", "radv_nir_export_multiview"),
            "nir_lower_view_index_to_*",
        ),
        "renders several views",
        frozenset(("POS", "LAYER", "VIEWPORT")),
    ),
    ContractRule(
        (
            *("nir_lower_blend", "nir_lower_clamp_color_outputs", "nir_lower_alpha_*"),
            *("*_lower_alpha_to_*", "v3d_nir_lower_logic_ops"),
            *("nir_lower_poly_line_smooth", "nir_lower_aaline*", "nir_lower_aapoint*", "nir_lower_fb_read"),
        ),
        "changes the colors that are written",
        _COLORS | frozenset(("COL0", "COL1", "BFC0", "BFC1", "SAMPLE_MASK")),
        keeps_writes=True,
    ),
    ContractRule(
        ("nir_lower_fragcolor", "*_remove_fragcolor_stores"),
        "gives a color to other render targets",
        _COLORS,
    ),
    ContractRule(
        (
            *("nir_lower_wpos_*", "nir_lower_pntc_*", "nir_lower_fragcoord_*", "nir_lower_texcoord_replace*"),
            *(
                "nir_lower_two_sided_color",
                "nir_lower_flatshade",
                "nir_lower_clip_fs",
                "nir_lower_alpha_test",
            ),
            *("nir_lower_drawpixels", "nir_lower_bitmap", "nir_lower_sample_shading", "nir_lower_input_*"),
            *("nir_lower_point_smooth", "nir_lower_pstipple_fs", "nir_lower_poly*", "nir_lower_line_*"),
            *("nir_lower_color_inputs", "si_nir_clamp_shadow_comparison_value", "nir_lower_frag_coord_*"),
            *(
                "nir_lower_tex_shadow",
                "nir_remove_tex_shadow",
                "nir_lower_multisample*",
                "nir_lower_single_sampled",
            ),
        ),
        "makes up for state of the API that the hardware does not have",
        results=True,
    ),
    ContractRule(
        ("nir_normalize_cubemap_coords", "nir_lower_cube*"),
        "scales the coordinates of cube maps, and dumps do not say which textures these are",
        results=True,
    ),
    ContractRule(
        ("nir_inline_uniforms", "*_inline_uniforms", "nir_inline_sysval"),
        "gives uniforms the values of a draw call",
        results=True,
    ),
    ContractRule(
        ("nir_lower_tex",),
        "swizzles or converts what textures return, by formats that dumps do not say",
        texels=True,
    ),
    ContractRule(
        (
            "nir_lower_mediump_*",
            "nir_lower_precision*",
            "*_mediump_io",
        ),
        "computes with less precision",
        narrows=True,
    ),
    ContractRule(
        ("nir_shader_*_pass", "nir_shader_lower_instructions", "nir_function_*_pass"),
        "runs a callback of a driver's own, which the log does not name",
        results=True,
    ),
    ContractRule(("nir_lower_explicit_io",), "addresses buffers in another form", readdresses=True),
    ContractRule(
        (
            *("nir_lower_uniforms_to_ubo", "nir_lower_atomics_to_ssbo", "*_apply_pipeline_layout"),
            *("*_push_constants", "*_analyze_ubo_ranges", "*_compact_ubos", "*_remap_*"),
        ),
        "changes how buffers, descriptors and constants are addressed",
        readdresses=True,
        renumbers=True,
    ),
)

_NO_RULE = ContractRule((), "")


_PASS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_COMMON = ("nir_", "gl_nir_", "glsl_", "spirv_")


def is_common(pass_name: str) -> bool:
    """Whether a pass is of Mesa's common code, by the prefix of its name; others are a driver's own.

    A name that is no pass's, such as a heading, counts as common.
    """
    return pass_name.startswith(_COMMON) or _PASS.fullmatch(pass_name) is None


def rule_of(pass_name: str) -> ContractRule:
    """Return the rule for a pass; for any other pass, a rule that allows no change."""
    return next(
        (rule for rule in RULES if any(fnmatchcase(pass_name, pattern) for pattern in rule.passes)), _NO_RULE
    )
