"""Lowering level of inputs and outputs, from the text of a dump.

Linking compares the outputs of one stage with the inputs of the next, so both dumps must express them in the
same form. The form is visible in the body; the header's `inputs_read` and `outputs_written` show whether
slots exist that the body accesses in a form without slots.

Drivers reuse `load_input` and `store_output` for memory of their own. Such accesses are backend I/O, whatever
slot they print; `is_by_offset` tells them apart without a name of a driver:

- accesses of one component of a slot have several values of `base`, which is then an offset;
- an access that declares one slot has a computed offset;
- all loads print slot 0, the value of a field that nobody set, and the header lists other slots.

Shared memory in a graphics stage, which has none in any API, holds inputs or outputs too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache

from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import COMPACT_SLOTS, parse_mask, slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.text.slot_accesses import PrintedAccess, slot_accesses
from nirls.ir.text.structure import intrinsic_names


class LoweringLevel(IntEnum):
    """Forms of inputs and outputs, in order of lowering."""

    VARIABLES = 0
    """Derefs of `shader_in` and `shader_out` variables."""
    LOWERED_IO = 1
    """Slot intrinsics such as `load_input` and `store_output` (after nir_lower_io)."""
    BACKEND_IO = 2
    """Exports, URB, attribute memory or LDS of one hardware family."""

    @property
    def description(self) -> str:
        """A description for messages."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    LoweringLevel.VARIABLES: "variables",
    LoweringLevel.LOWERED_IO: "lowered I/O",
    LoweringLevel.BACKEND_IO: "backend I/O",
}

_READS_SLOTS = frozenset(
    (
        b"load_input",
        b"load_interpolated_input",
        b"load_per_vertex_input",
        b"load_per_primitive_input",
        b"load_input_vertex",
        b"load_fs_input_interp_deltas",
    )
)
_WRITES_SLOTS = frozenset(
    (
        b"store_output",
        b"store_per_vertex_output",
        b"store_per_primitive_output",
        b"store_per_view_output",
    )
)
_READS_BACKEND = frozenset(
    (
        b"load_attribute_payload_intel",
        b"load_urb_input_handle_intel",
        b"load_urb_input_handle_indexed_intel",
        b"ald_nv",
        b"ipa_nv",
        b"load_coefficients_agx",
        b"load_fs_coeffs_pco",
        b"load_coeff_pco",
        b"load_var_pan",
        b"load_var_flat_pan",
        b"load_var_buf_pan",
        b"load_var_buf_flat_pan",
        b"load_vs_outputs_poly",
    )
)
_WRITES_BACKEND = frozenset(
    (
        b"export_amd",
        b"export_row_amd",
        b"export_dual_src_blend_amd",
        b"export_agx",
        b"load_urb_output_handle_intel",
        b"store_urb_vec4_intel",
        b"store_urb_lsc_intel",
        b"ast_nv",
        b"fs_out_nv",
        b"copy_fs_outputs_nv",
        b"uvsw_write_pco",
        b"frag_store_pco",
        b"blend_pan",
        b"store_raw_output_pan",
        b"store_combined_output_pan",
        b"store_tlb_sample_color_v3d",
        b"store_local_pixel_agx",
    )
)
_VENDORS = (
    *(b"_amd", b"_intel", b"_nv", b"_ir3", b"_pan", b"_agx", b"_v3d", b"_pco", b"_r600", b"_etna", b"_lima"),
    *(b"_zink", b"_dxil"),
)
_FIRST_STAGES = frozenset({Stage.VERTEX, Stage.TASK})

_VALUE = re.compile(rb"(?:%|ssa_)\w+")
_PARTS_OF_A_SLOT = (b"dualsrc", b"high_16bits", b"high_dvec2")
_COPIES = frozenset((b"mov", b"imov", b"fmov", b"vec2", b"vec3", b"vec4", b"undefined", b"load_const"))
_VARIABLE = re.compile(rb"(?:%|\bssa_)\w++(?![\w.]* \()")
_FEW = 3
_MOST_SLOTS = 99

_BEFORE_RASTERIZATION = frozenset({Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY})


def lowering_level(
    text: bytes, stage: Stage | None, inputs_read: int, outputs_written: int
) -> LoweringLevel | None:
    """Return the level of a dump; None without varying inputs and outputs.

    The masks are those of the header, 0 for a missing field. The level is that of the side that is lowered
    furthest: a fragment shader with color exports is a late snapshot, regardless of its inputs.
    """
    sides = output_level(text, stage, outputs_written), input_level(text, stage, inputs_read)
    return max((level for level in sides if level is not None), default=None)


def input_level(text: bytes, stage: Stage | None, inputs_read: int) -> LoweringLevel | None:
    """Return the level of the inputs other than vertex attributes; None if there are none."""
    if stage in _FIRST_STAGES:
        return None
    names = intrinsic_names(text)
    if names & _READS_BACKEND or _accesses_shared_memory(names, stage, b"load_"):
        return LoweringLevel.BACKEND_IO
    if names & _READS_SLOTS:
        is_offset = inputs_are_by_offset(text, stage, inputs_read)
        return LoweringLevel.BACKEND_IO if is_offset else LoweringLevel.LOWERED_IO
    if b"(shader_in" in text:
        return LoweringLevel.VARIABLES
    if not inputs_read:
        return None
    # The mask of a fragment shader whose loads were all removed may be stale: Mesa updates it rarely.
    is_lowered = stage is not Stage.FRAGMENT or any(name.endswith(_VENDORS) for name in names)
    return LoweringLevel.BACKEND_IO if is_lowered else None


def output_level(text: bytes, stage: Stage | None, outputs_written: int) -> LoweringLevel | None:
    """Return the level of the outputs; None if there are none."""
    names = intrinsic_names(text)
    if names & _WRITES_BACKEND or _accesses_shared_memory(names, stage, b"store_"):
        return LoweringLevel.BACKEND_IO
    if names & _WRITES_SLOTS:
        return LoweringLevel.BACKEND_IO if outputs_are_by_offset(text) else LoweringLevel.LOWERED_IO
    if b"(shader_out" in text:
        return LoweringLevel.VARIABLES
    return LoweringLevel.BACKEND_IO if outputs_written else None


def _accesses_shared_memory(names: Iterable[bytes], stage: Stage | None, verb: bytes) -> bool:
    """Whether a stage accesses shared memory that no API gives it."""
    if stage not in _BEFORE_RASTERIZATION:
        return False
    return any(name.startswith(verb) and b"shared" in name for name in names)


def level_of_inputs(shader: Shader) -> LoweringLevel | None:
    """Return the level of the inputs of a shader that was read from a dump."""
    return input_level(shader.source, shader.stage, header_mask(shader, "inputs_read"))


def level_of_outputs(shader: Shader) -> LoweringLevel | None:
    """Return the level of the outputs of a shader that was read from a dump."""
    return output_level(shader.source, shader.stage, header_mask(shader, "outputs_written"))


def sides_by_offset(shader: Shader) -> frozenset[bool]:
    """Return the sides whose printed slots mean nothing: `True` for outputs, `False` for inputs.

    Inputs include vertex attributes.
    """
    return _sides_by_offset(shader.source, header_mask(shader, "inputs_read"))


@lru_cache(256)
def _sides_by_offset(text: bytes, inputs_read: int) -> frozenset[bool]:
    sides = {False} if _loads_are_by_offset(text, inputs_read) else set[bool]()
    if outputs_are_by_offset(text):
        sides.add(True)
    return frozenset(sides)


def header_mask(shader: Shader, field: str) -> int:
    """Return the mask of slots in a header field, 0 for a missing one."""
    return parse_mask(shader.header_value(field) or "") or 0


def inputs_are_by_offset(text: bytes, stage: Stage | None, inputs_read: int = 0) -> bool:
    """Whether the slots that input loads print mean nothing, because `base` is an offset of the hardware.

    `inputs_read` is the mask of the header, 0 for a missing field.
    """
    return stage not in _FIRST_STAGES and _loads_are_by_offset(text, inputs_read)


def _loads_are_by_offset(text: bytes, inputs_read: int) -> bool:
    accesses = [access for access in slot_accesses(text) if not access.is_output]
    return _are_by_offset(text, accesses) or (inputs_read > 1 and _print_no_slot(accesses, inputs_read))


def outputs_are_by_offset(text: bytes) -> bool:
    """Whether the slots of output accesses mean nothing, because `base` is an offset of the hardware."""
    return _are_by_offset(text, [access for access in slot_accesses(text) if access.is_output])


def _are_by_offset(text: bytes, accesses: Sequence[PrintedAccess]) -> bool:
    bases: defaultdict[object, set[bytes]] = defaultdict(set)
    suspects: set[bytes] = set()
    for access in accesses:
        base, offset, slot = access.base, access.last_source, _number(access)
        if base is None:
            continue
        parts = tuple(word for word in _PARTS_OF_A_SLOT if word in access.flags)
        bases[slot, access.component, parts].add(base)
        value = _VALUE.match(offset)
        if access.count == 1 and slot not in COMPACT_SLOTS and value and b"(" not in offset:
            suspects.add(value[0])
    if suspects and any(name in suspects and _computes(right) for name, right in _definitions(text)):
        return True
    # Linking may leave the old base of a varying that became another one.
    numbers = [len(values) for values in bases.values()]
    return max(numbers, default=0) >= _FEW and 2 * sum(numbers) >= 3 * len(numbers)


def _definitions(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name of each value with the operation that makes it."""
    for line in text.split(b"\n"):
        left, is_value, right = line.partition(b" = ")
        words = left.split()
        if is_value and words:
            yield words[-1], right


def _computes(operation: bytes) -> bool:
    """Whether an operation computes its result from a value that is not printed as a constant."""
    name, _, sources = operation.removeprefix(b"intrinsic ").lstrip(b"@").partition(b" ")
    if name.rstrip(b"!") in _COPIES:
        return False
    return name.startswith(b"load_") or _VARIABLE.search(sources) is not None


def _print_no_slot(accesses: Sequence[PrintedAccess], mask: int) -> bool:
    """Whether all accesses print slot 0, which the mask does not have."""
    return bool(accesses) and not mask & 1 and all(_number(access) == 0 for access in accesses)


def accessed_slots(text: bytes) -> tuple[int, int]:
    """Return the masks of the slots that slot intrinsics load as inputs and store as outputs."""
    inputs = outputs = 0
    for access in slot_accesses(text):
        first = _number(access)
        if first < 0:
            continue
        mask = (1 << min(access.count, _MOST_SLOTS)) - 1 << first
        if access.is_output and access.is_store:
            outputs |= mask
        elif not access.is_output:
            inputs |= mask
    return inputs, outputs


def _number(access: PrintedAccess) -> int:
    return slot_number(access.slot.decode())
