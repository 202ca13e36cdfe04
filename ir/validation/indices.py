"""Checks of constant indices: I/O slots and flags, transform feedback, alignment, interpolation.

The rules are those of validate_intrinsic_instr in Mesa, and the ranges of the slot enumerations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect
from nirls.ir.model.slots import FRAG_RESULTS, VARYING_SLOTS, VERT_ATTRIBS, slot_stage
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.tables.entries import split_type
from nirls.ir.validation.reporter import Reporter

_INPUT = re.compile(r"load_(per_vertex_|per_primitive_|interpolated_)?input(_vertex)?")
_OUTPUT = re.compile(r"(load|store)_(per_vertex_|per_primitive_|per_view_)?output")
_BARYCENTRIC_MODES = frozenset(("INTERP_MODE_NONE", "INTERP_MODE_SMOOTH", "INTERP_MODE_NOPERSPECTIVE"))
_PER_VERTEX = frozenset(
    ("load_per_vertex_input", "load_per_vertex_output", "store_per_vertex_output"),
)
_FIRST_PATCH = VARYING_SLOTS.index("PATCH0")
# Vulkan has more generic attributes than GL, with consecutive numbers.
_VERTEX_SLOTS = (*VERT_ATTRIBS, *(f"GENERIC{i}" for i in range(17, 32)))
_LAST_PATCH = VARYING_SLOTS.index("PATCH31")
# Memory accesses, which have at least 8 bits. An alignment is required only if the index is printed.
_MEMORY = re.compile(
    r"(load|store)_(ubo|ssbo|shared|global|global_constant|scratch|constant|uniform|push_constant)"
)
_SINGLE_MODE = frozenset(("deref_mode_is", "addr_mode_is"))

Complaint = tuple[str, str]


def complaints(
    name: str,
    given: dict[str, IndexValue],
    width: int,
    bits: int,
    stage: Stage | None,
    dialect: Dialect,
) -> list[Complaint]:
    """Return (code, message) for each impossible value of the indices of an intrinsic.

    `width` and `bits` are the component count and bit size of the accessed value, 0 if unknown.
    """
    found: list[Complaint] = []
    semantics = given.get("io_semantics")
    if isinstance(semantics, IoSemantics):
        found += _slot_complaints(name, semantics, stage)
        found += _flag_complaints(name, semantics, stage)
        found += _component_complaints(name, given, width, bits)
    found += _xfb_complaints(given)
    if dialect is not Dialect.OLD:
        found += _memory_complaints(name, given, bits)
    if dialect is Dialect.MODERN:
        found += _type_complaints(name, given, bits)
    mode = given.get("interp_mode")
    is_word = isinstance(mode, str) and mode.startswith("INTERP_MODE_")
    if name.startswith("load_barycentric_") and is_word and mode not in _BARYCENTRIC_MODES:
        found.append(("bad-index", f"barycentrics cannot have the mode {mode}"))
    if name.startswith("load_barycentric_") and bits not in (0, 16, 32, 64):
        found.append(("bad-bit-size", f"barycentrics are floats, which cannot have {bits} bits"))
    modes = given.get("memory_modes")
    if name in _SINGLE_MODE and isinstance(modes, tuple) and len(modes) != 1:
        found.append(("bad-index", f"{name} tests for one memory mode, not {len(modes)}"))
    scope = given.get("execution_scope")
    if stage is Stage.FRAGMENT and scope in ("WORKGROUP", "QUEUE_FAMILY", "DEVICE"):
        found.append(("wrong-stage", f"fragment shaders have no workgroups (execution_scope={scope})"))
    return found


def is_input_access(name: str) -> bool:
    """Whether the intrinsic reads an input slot."""
    return _INPUT.fullmatch(name) is not None


def _is_slot_access(name: str) -> bool:
    """Whether the intrinsic accesses slots; numbers of driver intrinsics may have other meanings."""
    return is_input_access(name) or _OUTPUT.fullmatch(name) is not None


def _slot_complaints(name: str, semantics: IoSemantics, stage: Stage | None) -> Iterator[Complaint]:
    if stage is None or semantics.location < 0 or not _is_slot_access(name):
        return
    is_input = is_input_access(name)
    if is_input and slot_stage(name, stage) is Stage.VERTEX:
        names, what = _VERTEX_SLOTS, "vertex attributes"
    elif stage is Stage.FRAGMENT and not is_input:
        names, what = FRAG_RESULTS, "fragment results"
    else:
        names, what = VARYING_SLOTS, "varying slots"
    last = semantics.location + max(semantics.num_slots, 1)
    if last > len(names):
        yield "bad-slot", f"slot {last - 1} is beyond the {len(names)} {what}"
    if semantics.num_slots == 0:
        yield "bad-slot", "an access covers at least one slot"
    is_patch = _FIRST_PATCH <= semantics.location <= _LAST_PATCH
    if is_patch and name in _PER_VERTEX and stage in (Stage.TESS_CTRL, Stage.TESS_EVAL):
        yield "bad-slot", f"{names[semantics.location]} belongs to the patch, not to a vertex"


def _flag_complaints(name: str, semantics: IoSemantics, stage: Stage | None) -> Iterator[Complaint]:
    if stage is None:
        return
    flags = {*semantics.flags, *(flag for flag, _ in semantics.values)}
    for flag in ("dualsrc", "fbfetch"):
        if flag in flags and stage is not Stage.FRAGMENT:
            yield "wrong-stage", f"{flag} is for fragment shaders"
    has_streams = any(
        flag == "gs_streams" and re.search(r"=[1-9]", text) is not None for flag, text in semantics.values
    )
    if has_streams and stage is not Stage.GEOMETRY:
        yield "wrong-stage", "gs_streams is for geometry shaders"
    if "high_dvec2" in flags and not (slot_stage(name, stage) is Stage.VERTEX and name == "load_input"):
        yield "wrong-stage", "high_dvec2 is for inputs of vertex shaders"


def _component_complaints(
    name: str, given: dict[str, IndexValue], width: int, bits: int
) -> Iterator[Complaint]:
    component = given.get("component")
    if not isinstance(component, int) or not width or not _is_slot_access(name):
        return
    mask = given.get("write_mask")
    used = mask.bit_length() if isinstance(mask, int) and name.startswith("store_") else width
    # Components have 32 bits; a 64-bit access may extend into the next slot.
    units, limit = (2 * used, 8) if bits == 64 else (used, 4)
    if component > 3 or component + units > limit:
        yield "bad-slot", f"components {component} to {component + units - 1} do not fit the slot"


def _xfb_complaints(given: dict[str, IndexValue]) -> Iterator[Complaint]:
    captured: set[int] = set()
    for index in ("io_xfb", "io_xfb2"):
        outputs = given.get(index)
        if isinstance(outputs, str):
            yield "bad-index", f"what transform feedback captures cannot be read: {outputs}"
        if not isinstance(outputs, XfbOutputs):
            continue
        for component, count, _, _ in outputs.outputs:
            for one in range(component, min(component + count, component + 16)):
                if one in captured:
                    yield "bad-xfb", f"component {one} is captured twice"
                captured.add(one)


def _memory_complaints(name: str, given: dict[str, IndexValue], bits: int) -> Iterator[Complaint]:
    multiple, offset = given.get("align_mul"), given.get("align_offset")
    if isinstance(multiple, int) and isinstance(offset, int) and (multiple or offset):
        if multiple <= 0 or multiple & (multiple - 1):
            yield "bad-alignment", f"align_mul={multiple} is not a power of two"
        elif not 0 <= offset < multiple:
            yield "bad-alignment", f"align_offset={offset} is not less than align_mul={multiple}"
    elif multiple == 0 and _MEMORY.fullmatch(name) is not None:
        yield "bad-alignment", f"{name} has no alignment"
    if name == "load_ubo" and given.get("range") == 0:
        yield "bad-index", "load_ubo has range 0; an unknown range is 0xffffffff"
    if bits == 1 and (_MEMORY.fullmatch(name) is not None or is_input_access(name)):
        yield "bad-bit-size", f"{name} cannot access 1-bit values"


def _type_complaints(name: str, given: dict[str, IndexValue], bits: int) -> Iterator[Complaint]:
    """Check that the src_type of an output store has the bit size of the value."""
    type_name = given.get("src_type")
    is_output = "io_semantics" in given and name.startswith("store_")
    if not is_output or not isinstance(type_name, str) or not bits:
        return
    if split_type(type_name)[1] not in (0, bits):
        yield "bad-bit-size", f"the value has {bits} bits, but src_type is {type_name}"


def sizes_fit(value: Def | Src, width: int, bits: int) -> bool:
    """Whether a value has the given sizes; unknown sizes (0) match."""
    is_wide = not width or not value.num_components or width == value.num_components
    return is_wide and (not bits or not value.bit_size or bits == value.bit_size)


def check_function_parameter(
    instr: IntrinsicInstr, params: tuple[tuple[int, int], ...], reporter: Reporter
) -> None:
    """Check that a load_param reads a declared parameter; `params` are (components, bits)."""
    position = instr.indices.get("param_idx")
    value = instr.def_
    if not isinstance(position, int) or value is None:
        return
    if not 0 <= position < len(params):
        message = f"parameter {position} of a function that has {len(params)}"
        reporter.report("bad-parameter", message, instr.span)
        return
    width, bits = params[position]
    if not sizes_fit(value, width, bits):
        message = (
            f"{reporter.name_of(value)} has {value.bit_size} bits and {value.num_components} components,"
            f" parameter {position} has {bits} and {width}"
        )
        reporter.report("bad-parameter", message, reporter.place_of_dest(instr))
