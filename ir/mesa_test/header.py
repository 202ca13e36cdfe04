"""C++ that sets the fields of `shader_info` that a dump's header prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from nirls.ir.mesa_test.code import Code
from nirls.ir.model.shader import HeaderField
from nirls.ir.model.slots import parse_mask
from nirls.ir.model.stage import Stage

DROPPED: Final = frozenset(("shader", "name", "source_blake3", "divergence_analysis_run", "label"))
"""Fields that a test has not: the fixture gives stage and name, and divergence is not built."""

_NUMBER = re.compile(r"\d+")
_NO_FIELD: Final = "Unhandled stage"  # what the printer says of stages without fields of their own

_BEFORE_SUBGROUPS: Final = (
    *("shader", "source_blake3", "name", "label", "internal", "workgroup_size", "next_stage", "num_textures"),
    *(
        "num_ubos",
        "num_abos",
        "num_ssbos",
        "num_images",
        "inputs_read",
        "dual_slot_inputs",
        "outputs_written",
    ),
    *("outputs_read", "system_values_read", "per_primitive_inputs", "per_primitive_outputs"),
    *("per_view_outputs", "inputs_read_16bit", "outputs_written_16bit", "outputs_read_16bit"),
    *("inputs_read_indirectly_16bit", "outputs_accessed_indirectly_16bit", "patch_inputs_read"),
    *("patch_outputs_written", "patch_outputs_read", "inputs_read_indirectly", "outputs_accessed_indirectly"),
    *("patch_inputs_read_indirectly", "patch_outputs_accessed_indirectly", "textures_used"),
    *("textures_used_by_txf", "samplers_used", "images_used", "image_buffers", "msaa_images"),
    *("float_controls_execution_mode", "shared_size", "task_payload_size", "ray queries", "subgroup_size"),
)
_BEHIND_STAGE: Final = ("inputs", "outputs", "uniforms", "scratch", "constants")
_ALWAYS: Final = (("subgroup_size", "0"),)
_ALWAYS_IN: Final = {
    Stage.TESS_CTRL: (("primitive_mode", "0"), ("tcs_vertices_out", "0"), ("spacing", "0")),
    Stage.TESS_EVAL: (("primitive_mode", "0"), ("tcs_vertices_out", "0"), ("spacing", "0")),
    Stage.GEOMETRY: (
        *(("output_primitive", "POINTS"), ("input_primitive", "POINTS"), ("vertices_out", "0")),
        *(("invocations", "0"), ("vertices_in", "0"), ("active_stream_mask", "0x00")),
    ),
    Stage.MESH: (
        *(("task_payload_size", "0"), ("max_vertices_out", "0"), ("max_primitives_out", "0")),
        ("primitive_type", "POINTS"),
    ),
    Stage.TASK: (("task_payload_size", "0"),),
}
_WITH_WORKGROUPS: Final = frozenset((Stage.COMPUTE, Stage.KERNEL, Stage.TASK, Stage.MESH))


_OLDER_KEYS: Final = {
    "textures": "num_textures",
    "ubos": "num_ubos",
    "abos": "num_abos",
    "ssbos": "num_ssbos",
    "images": "num_images",
    "shared": "shared_size",
    "source_sha1": "source_blake3",
}
_PRINTED_IF_ZERO: Final = frozenset(key for fields in _ALWAYS_IN.values() for key, _ in fields)


def modern_header(header: Sequence[HeaderField]) -> list[HeaderField]:
    """Return the fields of a dump of before 23.3 by their present names, each once and without zeros."""
    made: dict[str, HeaderField] = {}
    for item in header:
        key = item.key if item.key == "ray queries" else re.sub(r"[ -]", "_", item.key)
        key = _OLDER_KEYS.get(key, key)
        is_zero = item.value == "0" and key not in _PRINTED_IF_ZERO
        if not is_zero:
            is_flag = key in _INFO_FLAGS.split() or key == "uses_end_primitive"
            made.setdefault(key, HeaderField(key, "true" if is_flag else item.value))
    return list(made.values())


def complete_header(header: Sequence[HeaderField], stage: Stage | None) -> list[HeaderField]:
    """Add the fields that Mesa 25 prints for a stage whatever their values are; a reduced dump lacks them."""
    missing = [*_ALWAYS, *_ALWAYS_IN.get(stage, ())] if stage is not None else []
    if stage in _WITH_WORKGROUPS:
        missing.append(("workgroup_size", "1, 1, 1"))
    made = list(header)
    known = {item.key for item in header}
    for key, value in missing:
        if key in known:
            continue
        if key in _BEFORE_SUBGROUPS:
            before = _BEFORE_SUBGROUPS[: _BEFORE_SUBGROUPS.index(key)]
            place = max((place for place, item in enumerate(made, 1) if item.key in before), default=0)
        else:
            order = [name for name, _ in missing]
            behind = {*order[order.index(key) + 1 :], *_BEHIND_STAGE} - {
                "workgroup_size",
                "task_payload_size",
            }
            place = next((place for place, item in enumerate(made) if item.key in behind), len(made))
        made.insert(place, HeaderField(key, value))
    return made


GATHERED: Final = frozenset(
    (
        *("num_textures", "inputs_read", "dual_slot_inputs", "outputs_written", "outputs_read"),
        *("system_values_read", "per_primitive_inputs", "per_primitive_outputs", "per_view_outputs"),
        *("inputs_read_16bit", "outputs_written_16bit", "outputs_read_16bit", "inputs_read_indirectly_16bit"),
        *("outputs_accessed_indirectly_16bit", "patch_inputs_read", "patch_outputs_written"),
        *("patch_outputs_read", "inputs_read_indirectly", "outputs_accessed_indirectly"),
        *("patch_inputs_read_indirectly", "patch_outputs_accessed_indirectly", "textures_used"),
        *("textures_used_by_txf", "samplers_used", "images_used", "image_buffers", "msaa_images"),
        *("uses_wide_subgroup_intrinsics", "uses_texture_gather", "uses_resource_info_query"),
        *("bit_sizes_float", "bit_sizes_int", "writes_memory", "double_inputs", "uses_discard"),
        *("uses_fbfetch_output", "color_is_dual_source", "needs_quad_helper_invocations"),
        *("needs_coarse_quad_helper_invocations", "uses_sample_qualifier", "uses_sample_shading"),
        *("tcs_same_invocation_inputs_read", "tcs_cross_invocation_inputs_read"),
        *("tcs_cross_invocation_outputs_read", "ms_cross_invocation_output_access"),
    )
)
"""What `nir_shader_gather_info` computes, which drivers run between passes and a test does not."""


def header_after_pass(before: Sequence[HeaderField], after: Sequence[HeaderField]) -> list[HeaderField]:
    """Return the header of the second snapshot, with what is gathered as it was in the first."""
    changed = {item.key: item for item in after}
    made = [
        item if item.key in GATHERED else changed[item.key]
        for item in before
        if item.key in GATHERED or item.key in changed
    ]
    known = {item.key for item in made}
    place = 0
    for item in after:
        if item.key in known:
            place = next(place for place, other in enumerate(made, 1) if other.key == item.key)
        elif item.key not in GATHERED:
            made.insert(place, item)
            place += 1
    return made


def set_header(code: Code) -> None:
    """Write an assignment for each field of the header. Unknown fields are refused."""
    before = len(code.lines)
    for item in code.shader.header:
        if item.key in DROPPED:
            continue
        write = _WRITERS.get(item.key)
        if item.key.startswith(_NO_FIELD):
            continue
        if write is None:
            code.refuse(f"the header field {item.key}")
            continue
        write(item, code)
    if len(code.lines) > before:
        code.line()


def _number(member: str) -> Callable[[HeaderField, Code], None]:
    def write(item: HeaderField, code: Code) -> None:
        match = re.fullmatch(r"(0x[0-9a-f]+|\d+)", item.value)
        if match is None:
            _refuse(item, code)
        elif int(item.value, 0):
            code.line(f"b->shader->{member} = {item.value};")

    return write


def _cast(member: str, type_name: str) -> Callable[[HeaderField, Code], None]:
    """A number that C++ does not convert to the enumeration by itself."""

    def write(item: HeaderField, code: Code) -> None:
        if not item.value.isdecimal():
            _refuse(item, code)
        elif int(item.value):
            code.line(f"b->shader->info.{member} = ({type_name}){item.value};")

    return write


def _flag(member: str) -> Callable[[HeaderField, Code], None]:
    def write(item: HeaderField, code: Code) -> None:
        if item.value not in ("true", "false"):
            _refuse(item, code)
        elif item.value == "true":
            code.line(f"b->shader->info.{member} = true;")

    return write


def _mask(member: str) -> Callable[[HeaderField, Code], None]:
    """Ranges of bits: `0,32-34`."""

    def write(item: HeaderField, code: Code) -> None:
        mask = parse_mask(item.value)
        if mask is None or mask >> 64:
            _refuse(item, code)
            return
        code.line(f"b->shader->info.{member} = {mask_of_ranges(mask)};")

    return write


def mask_of_ranges(mask: int) -> str:
    """Return the expression for a mask of 64 bits, by its runs of set bits."""
    parts = []
    bit = 0
    while mask >> bit:
        if not mask >> bit & 1:
            bit += 1
            continue
        start = bit
        while mask >> bit & 1:
            bit += 1
        length = bit - start
        parts.append(f"BITFIELD64_BIT({start})" if length == 1 else f"BITFIELD64_RANGE({start}, {length})")
    return " | ".join(parts) or "0"


def _bitset(member: str) -> Callable[[HeaderField, Code], None]:
    """Words of 32 bits, the highest first: `0x00000000'00000010`."""

    def write(item: HeaderField, code: Code) -> None:
        words = item.value.removeprefix("0x").split("'")
        if not all(re.fullmatch(r"[0-9a-f]{8}", word) for word in words):
            _refuse(item, code)
            return
        bits = int("".join(words), 16)
        for bit in range(bits.bit_length()):
            if bits >> bit & 1:
                code.line(f"BITSET_SET(b->shader->info.{member}, {bit});")

    return write


def _list(member: str) -> Callable[[HeaderField, Code], None]:
    """An array of numbers: `8, 8, 1` or `{16, 0, 0, 0}`."""

    def write(item: HeaderField, code: Code) -> None:
        for position, number in enumerate(_NUMBER.findall(item.value)):
            code.line(f"b->shader->info.{member}[{position}] = {number};")

    return write


def _word(member: str, prefix: str) -> Callable[[HeaderField, Code], None]:
    """The name of an enumerator, whose prefix may not be printed."""

    def write(item: HeaderField, code: Code) -> None:
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", item.value):
            _refuse(item, code)
            return
        code.line(f"b->shader->info.{member} = {prefix}{item.value.removeprefix(prefix)};")

    return write


def _workgroup_size(item: HeaderField, code: Code) -> None:
    # nir_builder_init_simple_shader() sets 1, 1, 1.
    for position, number in enumerate(_NUMBER.findall(item.value)[:3]):
        if number != "1":
            code.line(f"b->shader->info.workgroup_size[{position}] = {number};")
    if "variable" in item.value:
        code.line("b->shader->info.workgroup_size_variable = true;")


def _constants(item: HeaderField, code: Code) -> None:
    code.line("/* The dump has the size of the constant data only. */")
    code.line(f"b->shader->constant_data_size = {item.value};")
    code.line("b->shader->constant_data = rzalloc_size(b->shader, b->shader->constant_data_size);")


def _refuse(item: HeaderField, code: Code) -> None:
    code.refuse(f"the header field {item.key}: {item.value}")


_INFO_NUMBERS = (
    "num_textures num_ubos num_abos num_ssbos num_images shared_size task_payload_size"
    " num_inlinable_uniforms clip_distance_array_size cull_distance_array_size"
    " inputs_read_16bit outputs_written_16bit outputs_read_16bit inputs_read_indirectly_16bit"
    " outputs_accessed_indirectly_16bit patch_inputs_read patch_outputs_written patch_outputs_read"
    " bit_sizes_float bit_sizes_int max_subgroup_size min_subgroup_size"
)
_INFO_FLAGS = (
    "internal uses_wide_subgroup_intrinsics uses_texture_gather uses_resource_info_query"
    " first_ubo_is_default_ubo separate_shader has_transform_feedback_varyings flrp_lowered io_lowered"
    " writes_memory api_subgroup_size_draw_uniform known_interpolation_qualifiers"
)
_MASKS = (
    "inputs_read dual_slot_inputs outputs_written outputs_read per_primitive_inputs per_primitive_outputs"
    " per_view_outputs inputs_read_indirectly outputs_accessed_indirectly patch_inputs_read_indirectly"
    " patch_outputs_accessed_indirectly perspective_varyings linear_varyings"
)
_BITSETS = (
    "system_values_read textures_used textures_used_by_txf samplers_used images_used image_buffers"
    " msaa_images"
)
_FRAGMENT_FLAGS = (
    "uses_discard uses_fbfetch_output color_is_dual_source require_full_quads needs_quad_helper_invocations"
    " needs_coarse_quad_helper_invocations needs_full_quad_helper_invocations uses_sample_qualifier"
    " uses_sample_shading early_fragment_tests inner_coverage post_depth_coverage pixel_center_integer"
    " origin_upper_left pixel_interlock_ordered pixel_interlock_unordered sample_interlock_ordered"
    " sample_interlock_unordered untyped_color_outputs color0_sample color0_centroid color1_sample"
    " color1_centroid"
)

_WRITERS: Final[dict[str, Callable[[HeaderField, Code], None]]] = {
    **{key: _number(f"info.{key}") for key in _INFO_NUMBERS.split()},
    **{key: _flag(key) for key in _INFO_FLAGS.split()},
    **{key: _mask(key) for key in _MASKS.split()},
    **{key: _bitset(key) for key in _BITSETS.split()},
    **{key: _flag(f"fs.{key}") for key in _FRAGMENT_FLAGS.split()},
    "workgroup_size": _workgroup_size,
    "next_stage": _word("next_stage", "MESA_SHADER_"),
    "prev_stage": _word("prev_stage", "MESA_SHADER_"),
    "float_controls_execution_mode": _number("info.float_controls_execution_mode"),
    "ray queries": _number("info.ray_queries"),
    "subgroup_size": _cast("subgroup_size", "enum gl_subgroup_size"),
    "api_subgroup_size": _number("info.api_subgroup_size"),
    "derivative_group": _cast("derivative_group", "enum gl_derivative_group"),
    "xfb_stride": _list("xfb_stride"),
    "inlinable_uniform_dw_offsets": _list("inlinable_uniform_dw_offsets"),
    "double_inputs": _mask("vs.double_inputs"),
    "blit_sgprs_amd": _number("info.vs.blit_sgprs_amd"),
    "window_space_position": _flag("vs.window_space_position"),
    "needs_edge_flag": _flag("vs.needs_edge_flag"),
    "primitive_mode": _cast("tess._primitive_mode", "enum tess_primitive_mode"),
    "tcs_vertices_out": _number("info.tess.tcs_vertices_out"),
    "spacing": _cast("tess.spacing", "enum gl_tess_spacing"),
    "ccw": _flag("tess.ccw"),
    "point_mode": _flag("tess.point_mode"),
    "tcs_same_invocation_inputs_read": _mask("tess.tcs_same_invocation_inputs_read"),
    "tcs_cross_invocation_inputs_read": _mask("tess.tcs_cross_invocation_inputs_read"),
    "tcs_cross_invocation_outputs_read": _mask("tess.tcs_cross_invocation_outputs_read"),
    "output_primitive": _word("gs.output_primitive", "MESA_PRIM_"),
    "input_primitive": _word("gs.input_primitive", "MESA_PRIM_"),
    "vertices_out": _number("info.gs.vertices_out"),
    "invocations": _number("info.gs.invocations"),
    "vertices_in": _number("info.gs.vertices_in"),
    "uses_end_primitive": _flag("gs.uses_end_primitive"),
    "active_stream_mask": _number("info.gs.active_stream_mask"),
    "depth_layout": _cast("fs.depth_layout", "enum gl_frag_depth_layout"),
    "color0_interp": _word("fs.color0_interp", "INTERP_MODE_"),
    "color1_interp": _word("fs.color1_interp", "INTERP_MODE_"),
    "advanced_blend_modes": _number("info.fs.advanced_blend_modes"),
    "workgroup_size_hint": _list("cs.workgroup_size_hint"),
    "user_data_components_amd": _number("info.cs.user_data_components_amd"),
    "ptr_size": _number("info.cs.ptr_size"),
    "ms_cross_invocation_output_access": _mask("mesh.ms_cross_invocation_output_access"),
    "max_vertices_out": _number("info.mesh.max_vertices_out"),
    "max_primitives_out": _number("info.mesh.max_primitives_out"),
    "primitive_type": _word("mesh.primitive_type", "MESA_PRIM_"),
    "nv": _flag("mesh.nv"),
    "inputs": _number("num_inputs"),
    "outputs": _number("num_outputs"),
    "uniforms": _number("num_uniforms"),
    "scratch": _number("scratch_size"),
    "constants": _constants,
}
