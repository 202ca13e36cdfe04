"""Checks of constant indices: I/O slots and flags, transform feedback, alignment, interpolation.

The rules of validate_intrinsic_instr in Mesa give errors. What Mesa does not check itself, such as the ranges
of the slot enumerations, gives warnings: drivers use slots and components for purposes of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect
from nirls.ir.model.slots import FRAG_RESULTS, UNNAMED_ATTRIBUTES, VARYING_SLOTS, VERT_ATTRIBS, slot_stage
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.tables.entries import split_type
from nirls.ir.validation.reporter import Fault, Reporter

_INPUT = re.compile(r"load_(per_vertex_|per_primitive_|interpolated_)?input(_vertex)?")
_OUTPUT = re.compile(r"(load|store)_(per_vertex_|per_primitive_|per_view_)?output")
_BARYCENTRICS = frozenset(
    f"load_barycentric_{where}"
    for where in ("pixel", "centroid", "sample", "at_offset", "at_sample", "at_offset_nv", "model")
)
_BARYCENTRIC_MODES = frozenset(("INTERP_MODE_NONE", "INTERP_MODE_SMOOTH", "INTERP_MODE_NOPERSPECTIVE"))
_PER_VERTEX = frozenset(
    ("load_per_vertex_input", "load_per_vertex_output", "store_per_vertex_output"),
)
_FIRST_PATCH = VARYING_SLOTS.index("PATCH0")
# Vulkan has more generic attributes than GL, with consecutive numbers; the last one is 47 before Mesa 21.3.
_VERTEX_SLOTS = (*VERT_ATTRIBS, *(f"GENERIC{i}" for i in range(17, 33)))
_LAST_PATCH = VARYING_SLOTS.index("PATCH31")
# Memory accesses whose alignment and size Mesa checks. An alignment is required only if the index is printed.
_MEMORY = re.compile(r"load_(ubo|global_constant|constant)|(load|store)_(ssbo|shared|global|scratch)")
_OTHER_MEMORY = frozenset(("load_uniform", "load_push_constant"))
_TYPED_STORES = frozenset(("store_output", "store_per_vertex_output", "store_per_view_output"))
_SINGLE_MODE = frozenset(("deref_mode_is", "addr_mode_is"))


def complaints(
    name: str,
    given: dict[str, IndexValue],
    width: int,
    bits: int,
    stage: Stage | None,
    dialect: Dialect,
) -> list[Fault]:
    """Return a fault for each impossible value of the indices of an intrinsic.

    `width` and `bits` are the component count and bit size of the accessed value, 0 if unknown.
    """
    faults: list[Fault] = []
    semantics = given.get("io_semantics")
    if isinstance(semantics, IoSemantics):
        faults += _slot_complaints(name, semantics, stage, dialect)
        faults += _flag_complaints(name, semantics, stage)
        faults += _component_complaints(name, given, width, bits)
    faults += _xfb_complaints(given)
    if dialect is not Dialect.OLD:
        faults += _memory_complaints(name, given, bits)
    if dialect is Dialect.MODERN:
        faults += _type_complaints(name, given, bits)
    mode = given.get("interp_mode")
    is_word = isinstance(mode, str) and mode.startswith("INTERP_MODE_")
    if name in _BARYCENTRICS and is_word and mode not in _BARYCENTRIC_MODES:
        faults.append(Fault("bad-index", f"barycentrics cannot have the mode {mode}"))
    if name in _BARYCENTRICS and bits not in (0, 16, 32, 64):
        message = f"barycentrics are floats, which cannot have {bits} bits"
        faults.append(Fault("bad-bit-size", message, severity=Severity.WARNING))
    modes = given.get("memory_modes")
    if name in _SINGLE_MODE and isinstance(modes, tuple) and len(modes) != 1:
        faults.append(Fault("bad-index", f"{name} tests for one memory mode, not {len(modes)}"))
    scope = given.get("execution_scope")
    if stage is Stage.FRAGMENT and scope in ("WORKGROUP", "QUEUE_FAMILY", "DEVICE"):
        faults.append(Fault("wrong-stage", f"fragment shaders have no workgroups (execution_scope={scope})"))
    return faults


def is_input_access(name: str) -> bool:
    """Whether the intrinsic reads an input slot."""
    return _INPUT.fullmatch(name) is not None


def _is_slot_access(name: str) -> bool:
    """Whether the intrinsic accesses slots; numbers of driver intrinsics may have other meanings."""
    return is_input_access(name) or _OUTPUT.fullmatch(name) is not None


def _slot_complaints(
    name: str, semantics: IoSemantics, stage: Stage | None, dialect: Dialect
) -> Iterator[Fault]:
    if stage is None or semantics.location < 0 or not _is_slot_access(name):
        return
    is_input = is_input_access(name)
    if is_input and slot_stage(name, stage) is Stage.VERTEX:
        names, what = _VERTEX_SLOTS, "vertex attributes"
    elif stage is Stage.FRAGMENT and not is_input:
        names, what = FRAG_RESULTS, "fragment results"
    else:
        names, what = VARYING_SLOTS, "varying slots"
    first = semantics.location
    if names is _VERTEX_SLOTS and first >= UNNAMED_ATTRIBUTES and dialect is not Dialect.CLASSIC:
        first -= UNNAMED_ATTRIBUTES
    last = first + max(semantics.num_slots, 1)
    if last > len(names):
        yield Fault("bad-slot", f"slot {last - 1} is beyond the {len(names)} {what}")
    is_patch = _FIRST_PATCH <= semantics.location <= _LAST_PATCH
    if is_patch and name in _PER_VERTEX and stage in (Stage.TESS_CTRL, Stage.TESS_EVAL):
        yield Fault("bad-slot", f"{names[semantics.location]} belongs to the patch, not to a vertex")


def _flag_complaints(name: str, semantics: IoSemantics, stage: Stage | None) -> Iterator[Fault]:
    if stage is None or not name.startswith("store_"):
        return  # Mesa checks flags of stores only
    flags = {*semantics.flags, *(flag for flag, _ in semantics.values)}
    for flag in ("dualsrc", "fbfetch"):
        if flag in flags and stage is not Stage.FRAGMENT:
            yield _stage_error(f"{flag} is for fragment shaders")
    has_streams = any(
        flag == "gs_streams" and re.search(r"=[1-9]", text) is not None for flag, text in semantics.values
    )
    if has_streams and stage is not Stage.GEOMETRY:
        yield _stage_error("gs_streams is for geometry shaders")
    if "high_dvec2" in flags:
        yield _stage_error("high_dvec2 is for inputs of vertex shaders")


def _stage_error(message: str) -> Fault:
    return Fault("wrong-stage", message, severity=Severity.ERROR)


def _component_complaints(name: str, given: dict[str, IndexValue], width: int, bits: int) -> Iterator[Fault]:
    component = given.get("component")
    if not isinstance(component, int) or not width or not _is_slot_access(name):
        return
    mask = given.get("write_mask")
    used = mask.bit_length() if isinstance(mask, int) and name.startswith("store_") else width
    # Components have 32 bits; a 64-bit access may extend into the next slot.
    units, limit = (2 * used, 8) if bits == 64 else (used, 4)
    if component > 3 or component + units > limit:
        yield Fault("bad-slot", f"components {component} to {component + units - 1} do not fit the slot")


def _xfb_complaints(given: dict[str, IndexValue]) -> Iterator[Fault]:
    captured: set[int] = set()
    for index in ("io_xfb", "io_xfb2"):
        outputs = given.get(index)
        if isinstance(outputs, str):
            message = f"what transform feedback captures cannot be read: {outputs}"
            yield Fault("bad-index", message, severity=Severity.WARNING)
        if not isinstance(outputs, XfbOutputs):
            continue
        for component, count, _, _ in outputs.outputs:
            for number in range(component, min(component + count, component + 16)):
                if number in captured:
                    yield Fault("bad-xfb", f"component {number} is captured twice")
                captured.add(number)


def _memory_complaints(name: str, given: dict[str, IndexValue], bits: int) -> Iterator[Fault]:
    is_memory = _MEMORY.fullmatch(name) is not None
    multiple, offset = given.get("align_mul"), given.get("align_offset")
    if isinstance(multiple, int) and isinstance(offset, int) and (multiple or offset):
        severity = None if is_memory else Severity.WARNING
        if multiple <= 0 or multiple & (multiple - 1):
            message = f"align_mul={multiple} is not a power of two"
            yield Fault("bad-alignment", message, severity=severity)
        elif not 0 <= offset < multiple:
            message = f"align_offset={offset} is not less than align_mul={multiple}"
            yield Fault("bad-alignment", message, severity=severity)
    elif multiple == 0 and is_memory:
        yield Fault("bad-alignment", f"{name} has no alignment")
    if name == "load_ubo" and given.get("range") == 0:
        yield Fault("bad-index", "load_ubo has range 0; an unknown range is 0xffffffff")
    if bits == 1 and (is_memory or name in _OTHER_MEMORY or is_input_access(name)):
        yield Fault("bad-bit-size", f"{name} cannot access 1-bit values")


def _type_complaints(name: str, given: dict[str, IndexValue], bits: int) -> Iterator[Fault]:
    """Check that the src_type of an output store has the bit size of the value."""
    type_name = given.get("src_type")
    if name not in _TYPED_STORES or not isinstance(type_name, str) or not bits:
        return
    if split_type(type_name)[1] not in (0, bits):
        yield Fault("bad-bit-size", f"the value has {bits} bits, but src_type is {type_name}")


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
