"""Update of the I/O header fields, the slots that a shader reads and writes, after a pass.

The rules are Mesa's nir_shader_gather_info. A field only changes by the pass's own changes: slots that
no instruction accesses any more are removed, new ones are added, and the rest of the field
is kept, so that a header that was stale, or counts accesses missing in the text, is preserved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.io.access import COLOR_LOADS, DEREF_LOADS, SLOT_INTRINSICS, IoAccess, io_access
from nirls.ir.io.variables import variable_place, variable_slots
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Dialect, HeaderField, Shader, Variable
from nirls.ir.model.slots import parse_mask, reads_attribute_in_tcs, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def

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
    """Return the number of the system value that an intrinsic loads; None if it is not counted."""
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


_PATCH0 = varying_slot("PATCH0")
_PATCH_END = _PATCH0 + 32
_VAR0_16BIT = varying_slot("VAR0_16BIT")
_VAR_16BIT_END = _VAR0_16BIT + 16
_NUMBER_OF_SLOTS = 128

# The I/O fields and their neighbours in Mesa's order, with the format of each.
_RANGES, _HEX32, _HEX16, _BITSET, _COUNT = "ranges", "hex32", "hex16", "bitset", "count"
_FORMATS: Mapping[str, str] = {
    "inputs_read": _RANGES,
    "outputs_written": _RANGES,
    "outputs_read": _RANGES,
    "system_values_read": _BITSET,
    "inputs_read_16bit": _HEX16,
    "outputs_written_16bit": _HEX16,
    "outputs_read_16bit": _HEX16,
    "inputs_read_indirectly_16bit": _HEX16,
    "outputs_accessed_indirectly_16bit": _HEX16,
    "patch_inputs_read": _HEX32,
    "patch_outputs_written": _HEX32,
    "patch_outputs_read": _HEX32,
    "inputs_read_indirectly": _RANGES,
    "outputs_accessed_indirectly": _RANGES,
    "patch_inputs_read_indirectly": _RANGES,
    "patch_outputs_accessed_indirectly": _RANGES,
    "tcs_same_invocation_inputs_read": _RANGES,
    "tcs_cross_invocation_inputs_read": _RANGES,
    "tcs_cross_invocation_outputs_read": _RANGES,
    "inputs": _COUNT,
    "outputs": _COUNT,
}
_FIELD_ORDER = (
    "shader",
    "source_sha1",
    "source_blake3",
    "name",
    "label",
    "internal",
    "workgroup_size",
    "workgroup-size",
    "shared-size",
    "stage",
    "next_stage",
    "prev_stage",
    "num_textures",
    "num_ubos",
    "num_abos",
    "num_ssbos",
    "num_images",
    "inputs_read",
    "dual_slot_inputs",
    "outputs_written",
    "outputs_read",
    "system_values_read",
    "per_primitive_inputs",
    "per_primitive_outputs",
    "per_view_outputs",
    "inputs_read_16bit",
    "outputs_written_16bit",
    "outputs_read_16bit",
    "inputs_read_indirectly_16bit",
    "outputs_accessed_indirectly_16bit",
    "patch_inputs_read",
    "patch_outputs_written",
    "patch_outputs_read",
    "inputs_read_indirectly",
    "outputs_accessed_indirectly",
    "patch_inputs_read_indirectly",
    "patch_outputs_accessed_indirectly",
    "textures_used",
    "samplers_used",
    "images_used",
    "subgroup_size",
    "bit_sizes_float",
    "bit_sizes_int",
    "io_lowered",
    "writes_memory",
    "primitive_mode",
    "tcs_vertices_out",
    "spacing",
    "ccw",
    "point_mode",
    "tcs_same_invocation_inputs_read",
    "tcs_cross_invocation_inputs_read",
    "tcs_cross_invocation_outputs_read",
    "inputs",
    "outputs",
    "uniforms",
)
# A header with one of these was printed after nir_shader_gather_info.
_SIGNS_OF_GATHERING = frozenset(
    ("inputs_read", "outputs_written", "patch_inputs_read", "patch_outputs_written", "bit_sizes_int")
)


def updated_header(before: Shader, after: Shader) -> list[HeaderField]:
    """Return the header of `after` with its I/O fields updated for changed accesses.

    Fields that the pass itself set to another value are kept as they are.
    """
    old, new = io_masks(before), io_masks(after)
    stated = {item.key: item.value for item in before.header}
    header = list(after.header)
    present = {item.key: position for position, item in enumerate(header)}
    emptied: set[str] = set()
    gathered = not _SIGNS_OF_GATHERING.isdisjoint(stated)
    for key, kind in _FORMATS.items():
        was, now = old.get(key, 0), new.get(key, 0)
        if was == now:
            continue
        position = present.get(key)
        if position is None:
            # The counts are set by slot assignment, not by nir_shader_gather_info.
            if gathered and was == 0 and kind != _COUNT:
                header.insert(_place_of(key, header), HeaderField(key, format_mask(kind, now)))
                present = {item.key: index for index, item in enumerate(header)}
            continue
        item = header[position]
        if item.value != stated.get(key):
            continue
        value = _changed_value(item.value, kind, was, now)
        if value == "0" and before.dialect is Dialect.MODERN:
            value = ""
        if value is not None:
            header[position] = HeaderField(key, value, item.span)
        if value == "":
            emptied.add(key)
    # A mask without bits is not printed.
    return [item for item in header if item.key not in emptied]


@cached_analysis
def io_masks(shader: Shader) -> dict[str, int]:
    """Gather the header fields from the I/O instructions: masks of slots, and the two counts."""
    masks: defaultdict[str, int] = defaultdict(int)
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr):
            continue
        for key, bits in _accesses(instr, shader):
            if _FORMATS[key] == _COUNT:
                masks[key] = max(masks[key], bits)
            else:
                masks[key] |= bits
    return dict(masks)


def format_mask(kind: str, mask: int) -> str:
    """Format a mask as in the header: `0,32-35`, `0x0000000f`, or the words of a bit set."""
    if kind == _RANGES:
        return ranges_text(mask)
    if kind == _COUNT:
        return str(mask)
    if kind == _BITSET:
        words = [f"{mask >> shift & 0xFFFFFFFF:08x}" for shift in (96, 64, 32, 0)]
        return f"0x{chr(39).join(words)}"
    return f"0x{mask:0{8 if kind == _HEX32 else 4}x}"


def ranges_text(mask: int) -> str:
    """Format the runs of set bits.

    >>> ranges_text(0b1001_1101)
    '0,2-4,7'
    """
    runs = []
    start = 0
    while mask >> start:
        if not mask >> start & 1:
            start += 1
            continue
        end = start
        while mask >> (end + 1) & 1:
            end += 1
        runs.append(str(start) if start == end else f"{start}-{end}")
        start = end + 1
    return ",".join(runs)


def _changed_value(text: str, kind: str, was: int, now: int) -> str | None:
    """Return the new text of a field; "" if it is no longer printed, None to keep it."""
    if kind == _COUNT:
        return str(now) if text == str(was) else None
    mask = parse_mask(text)
    if mask is None or (kind == _BITSET and mask != was):
        # Other releases number the system values differently.
        return None
    mask = mask & ~(was & ~now) | now & ~was
    if not mask:
        return ""
    if not text.startswith("0x"):
        return ranges_text(mask)
    if "'" in text:
        return format_mask(_BITSET, mask)
    return f"0x{mask:0{len(text) - 2}x}"


def _place_of(key: str, header: list[HeaderField]) -> int:
    """Return the position of a new field: after the last one that Mesa prints before it."""
    before = set(_FIELD_ORDER[: _FIELD_ORDER.index(key)])
    return 1 + max((i for i, item in enumerate(header) if item.key in before), default=len(header) - 1)


def _accesses(instr: IntrinsicInstr, shader: Shader) -> Iterator[tuple[str, int]]:
    name = instr.name
    access = io_access(instr, shader.stage)
    if access is not None and name in SLOT_INTRINSICS:
        yield from _slot_masks(access, shader.stage)
    elif name in DEREF_LOADS or name in ("store_deref", "copy_deref"):
        yield from _deref_masks(instr, shader)
    bit = system_value_bit(instr)
    if bit is not None:
        yield "system_values_read", 1 << bit
    if name in COLOR_LOADS:
        yield "inputs_read", 1 << COLOR_LOADS[name]


def _slot_masks(access: IoAccess, stage: Stage | None) -> Iterator[tuple[str, int]]:
    """Yield the declared slots of an access: Mesa counts all of them, whatever a constant index chooses."""
    location, count = access.location, access.declared_slots
    # The header only has slots of the stage itself.
    if location >= _NUMBER_OF_SLOTS or reads_attribute_in_tcs(access.instr.name, stage):
        return
    yield ("outputs" if access.is_output else "inputs"), access.instr.int_index("base") + count
    patch = suffix = ""
    if _PATCH0 <= location < _PATCH_END:
        location -= _PATCH0
        patch = "patch_"
    elif _VAR0_16BIT <= location < _VAR_16BIT_END:
        location -= _VAR0_16BIT
        count = (count + (access.half == 1) + 1) // 2
        suffix = "_16bit"
    slots = ((1 << count) - 1) << location
    if access.is_output:
        yield f"{patch}outputs_{'written' if access.is_store else 'read'}{suffix}", slots
        if access.is_indirect:
            yield f"{patch}outputs_accessed_indirectly{suffix}", slots
    else:
        yield f"{patch}inputs_read{suffix}", slots
        if access.is_indirect:
            yield f"{patch}inputs_read_indirectly{suffix}", slots
    if stage is Stage.TESS_CTRL and not access.is_store and access.vertex is not None:
        own = _is_invocation_id(access.vertex)
        if not access.is_output:
            yield f"tcs_{'same' if own else 'cross'}_invocation_inputs_read", slots
        elif not own:
            yield "tcs_cross_invocation_outputs_read", slots


def _is_invocation_id(value: Def | int) -> bool:
    maker = value.instr if isinstance(value, Def) else None
    return isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id"


def _deref_masks(instr: IntrinsicInstr, shader: Shader) -> Iterator[tuple[str, int]]:
    """Yield accesses as whole variables; a more precise range needs types that dumps do not print."""
    for position, src in enumerate(instr.sources[:2] if instr.name == "copy_deref" else instr.sources[:1]):
        variable = _variable_of(src.def_)
        if variable is None or variable.mode not in ("shader_in", "shader_out"):
            continue
        slots = _variable_mask(variable, shader.stage)
        if slots is None:
            continue
        patch, mask = slots
        if variable.mode == "shader_in":
            yield f"{patch}inputs_read", mask
        else:
            is_read = instr.name in DEREF_LOADS or (instr.name == "copy_deref" and position == 1)
            yield f"{patch}outputs_{'read' if is_read else 'written'}", mask


def _variable_of(value: Def | None) -> Variable | None:
    seen: set[Def] = set()
    while value is not None and value not in seen and isinstance(value.instr, DerefInstr):
        seen.add(value)
        if value.instr.parent is None:
            return value.instr.var
        value = value.instr.parent.def_
    return None


def _variable_mask(variable: Variable, stage: Stage | None) -> tuple[str, int] | None:
    location, count = variable_place(variable, stage).slot, variable_slots(variable, stage)
    if not isinstance(location, int) or count is None or max(location, count) >= _NUMBER_OF_SLOTS:
        return None
    mask = (1 << count) - 1
    if "patch" in variable.qualifiers and location >= _PATCH0:
        return "patch_", mask << (location - _PATCH0)
    return "", mask << location
