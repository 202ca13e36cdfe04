"""Update of the I/O header fields, the slots that a shader reads and writes, after a pass.

The rules are Mesa's nir_shader_gather_info. A field only changes by the pass's own changes: slots that
no instruction accesses any more are removed, new ones are added, and the rest of the field
is kept, so that a header that was stale, or counts accesses missing in the text, is preserved.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Dialect, HeaderField, Shader, Variable
from nirls.ir.model.slots import (
    UNKNOWN_LOCATION,
    parse_mask,
    reads_attribute_in_tcs,
    slot_number,
    varying_slot,
)
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.text.printing.source_types import component_count, glsl_base_type

_ARRAY_LENGTH = re.compile(r"\[(\d+)\]")
_COMPONENTS_PER_SLOT = 4


def attribute_slots(variable: Variable, stage: Stage | None) -> int | None:
    """Return the slot count of an input or output; None for structs, whose fields are not in the dump."""
    element, _, rest = variable.type_name.partition("[")
    lengths = [int(length) for length in _ARRAY_LENGTH.findall(f"[{rest}")] if rest else []
    if lengths and _is_arrayed(variable, stage):
        lengths = lengths[1:]
    if "compact" in variable.trailing:
        return -(-_product(lengths) // _COMPONENTS_PER_SLOT)
    if not glsl_base_type(element):
        return None
    return _product(lengths) * _element_slots(element, variable, stage)


def _is_arrayed(variable: Variable, stage: Stage | None) -> bool:
    """Return whether the outer array is indexed by vertex (Mesa: `nir_is_arrayed_io`)."""
    if "patch" in variable.qualifiers:
        return False
    if variable.mode == "shader_in":
        return stage in (Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY)
    return stage in (Stage.TESS_CTRL, Stage.MESH)


def _element_slots(element: str, variable: Variable, stage: Stage | None) -> int:
    columns = 1
    rows = component_count(element)
    if "mat" in element:
        digits = element[element.index("mat") + 3 :].split("x")
        columns = int(digits[0])
        rows = int(digits[-1])
    is_64_bit = element.startswith(("d", "i64", "u64", "int64", "uint64"))
    is_vertex_input = stage is Stage.VERTEX and variable.mode == "shader_in"
    return columns * (2 if is_64_bit and rows > 2 and not is_vertex_input else 1)


def _product(lengths: list[int]) -> int:
    total = 1
    for length in lengths:
        total *= length
    return total


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
_COLORS = {"load_color0": varying_slot("COL0"), "load_color1": varying_slot("COL1")}

_INPUT_LOADS = frozenset(
    (
        "load_input",
        "load_per_primitive_input",
        "load_per_vertex_input",
        "load_input_vertex",
        "load_interpolated_input",
    )
)
_OUTPUT_LOADS = frozenset(
    ("load_output", "load_per_vertex_output", "load_per_primitive_output", "load_per_view_output")
)
_OUTPUT_STORES = frozenset(
    ("store_output", "store_per_vertex_output", "store_per_primitive_output", "store_per_view_output")
)
_ARRAY_INDEX_SOURCE = {
    "load_per_vertex_input": 0,
    "load_per_vertex_output": 0,
    "load_per_primitive_output": 0,
    "load_per_view_output": 0,
}
_OFFSET_SOURCE = {
    "load_input": 0,
    "load_per_primitive_input": 0,
    "load_output": 0,
    "store_per_vertex_output": 2,
    "store_per_primitive_output": 2,
    "store_per_view_output": 2,
}
_DEREF_READS = frozenset(
    (
        "load_deref",
        "interp_deref_at_centroid",
        "interp_deref_at_sample",
        "interp_deref_at_offset",
        "interp_deref_at_vertex",
    )
)

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


def io_masks(shader: Shader) -> dict[str, int]:
    """Gather the header fields from the I/O instructions: masks of slots, and the two counts."""
    masks: defaultdict[str, int] = defaultdict(int)
    for impl in shader.impls():
        for instr in impl.instrs():
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
    if name in _INPUT_LOADS or name in _OUTPUT_LOADS or name in _OUTPUT_STORES:
        yield from _slot_accesses(instr, shader)
    elif name in _DEREF_READS or name in ("store_deref", "copy_deref"):
        yield from _deref_accesses(instr, shader)
    bit = system_value_bit(instr)
    if bit is not None:
        yield "system_values_read", 1 << bit
    if name in _COLORS:
        yield "inputs_read", 1 << _COLORS[name]


def _slot_accesses(instr: IntrinsicInstr, shader: Shader) -> Iterator[tuple[str, int]]:
    semantics = instr.io_semantics
    if semantics is None or not _is_slot_range(semantics.location, semantics.num_slots):
        return
    name, location, count = instr.name, semantics.location, semantics.num_slots
    if reads_attribute_in_tcs(name, shader.stage):
        # The header only has slots of the stage itself.
        return
    is_input = name in _INPUT_LOADS
    yield ("inputs" if is_input else "outputs"), instr.int_index("base") + count
    patch = suffix = ""
    if _PATCH0 <= location < _PATCH_END:
        location -= _PATCH0
        patch = "patch_"
    elif _VAR0_16BIT <= location < _VAR_16BIT_END:
        location -= _VAR0_16BIT
        count = (count + semantics.has("high_16bits") + 1) // 2
        suffix = "_16bit"
    slots = ((1 << count) - 1) << location
    indirect = not _is_constant(instr, _OFFSET_SOURCE.get(name, 1))
    if is_input:
        yield f"{patch}inputs_read{suffix}", slots
        if indirect:
            yield f"{patch}inputs_read_indirectly{suffix}", slots
    else:
        yield f"{patch}outputs_{'read' if name in _OUTPUT_LOADS else 'written'}{suffix}", slots
        if indirect:
            yield f"{patch}outputs_accessed_indirectly{suffix}", slots
    if shader.stage is Stage.TESS_CTRL and name in _ARRAY_INDEX_SOURCE:
        own = _is_invocation_id(instr.sources[0].def_ if instr.sources else None)
        if is_input:
            yield f"tcs_{'same' if own else 'cross'}_invocation_inputs_read", slots
        elif not own:
            yield "tcs_cross_invocation_outputs_read", slots


def _is_slot_range(location: int, count: int) -> bool:
    """Return whether the numbers are valid slots: a broken dump may contain any."""
    return 0 <= location < _NUMBER_OF_SLOTS and 0 <= count <= _NUMBER_OF_SLOTS


def _is_constant(instr: IntrinsicInstr, position: int) -> bool:
    if position >= len(instr.sources):
        return True
    value = instr.sources[position].def_
    return value is not None and isinstance(value.instr, LoadConstInstr)


def _is_invocation_id(value: Def | None) -> bool:
    producer: Instr | None = None if value is None else value.instr
    return isinstance(producer, IntrinsicInstr) and producer.name == "load_invocation_id"


def _deref_accesses(instr: IntrinsicInstr, shader: Shader) -> Iterator[tuple[str, int]]:
    """Yield accesses as whole variables; a more precise range needs types that dumps do not print."""
    for position, src in enumerate(instr.sources[:2] if instr.name == "copy_deref" else instr.sources[:1]):
        variable = _variable_of(src.def_)
        if variable is None or variable.mode not in ("shader_in", "shader_out"):
            continue
        slots = _variable_slots(variable, shader.stage)
        if slots is None:
            continue
        patch, mask = slots
        if variable.mode == "shader_in":
            yield f"{patch}inputs_read", mask
        else:
            is_read = instr.name in _DEREF_READS or (instr.name == "copy_deref" and position == 1)
            yield f"{patch}outputs_{'read' if is_read else 'written'}", mask


def _variable_of(value: Def | None) -> Variable | None:
    seen: set[Def] = set()
    while value is not None and value not in seen and isinstance(value.instr, DerefInstr):
        seen.add(value)
        if value.instr.parent is None:
            return value.instr.var
        value = value.instr.parent.def_
    return None


def _variable_slots(variable: Variable, stage: Stage | None) -> tuple[str, int] | None:
    if variable.location is None:
        return None
    location = slot_number(variable.location.partition(".")[0])
    count = attribute_slots(variable, stage)
    if location == UNKNOWN_LOCATION or count is None or not _is_slot_range(location, count):
        return None
    mask = (1 << count) - 1
    if "patch" in variable.qualifiers and location >= _PATCH0:
        return "patch_", mask << (location - _PATCH0)
    return "", mask << location
