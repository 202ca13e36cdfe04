"""Lowering level of inputs and outputs, from the text of a dump.

Linking compares the outputs of one stage with the inputs of the next, so both dumps must express them in the
same form. The form is visible in the body; the header's `inputs_read` and `outputs_written` show whether
slots exist that the body accesses in a form without slots.
"""

from __future__ import annotations

import re
from enum import IntEnum

from nirls.ir.model.slots import slot_number
from nirls.ir.model.stage import Stage


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

_READS_SLOTS = (
    b"load_input (",
    b"load_interpolated_input (",
    b"load_per_vertex_input (",
    b"load_per_primitive_input (",
    b"load_input_vertex (",
    b"load_fs_input_interp_deltas (",
)
_WRITES_SLOTS = (
    b"store_output (",
    b"store_per_vertex_output (",
    b"store_per_primitive_output (",
    b"store_per_view_output (",
)
_READS_BACKEND = (
    b"load_attribute_payload_intel (",
    b"load_urb_input_handle_intel (",
    b"load_urb_input_handle_indexed_intel (",
    b"ald_nv (",
    b"ipa_nv (",
    b"load_coefficients_agx (",
    b"load_fs_coeffs_pco (",
    b"load_coeff_pco (",
    b"load_var_pan (",
    b"load_var_flat_pan (",
    b"load_var_buf_pan (",
    b"load_var_buf_flat_pan (",
    b"load_vs_outputs_poly (",
)
_WRITES_BACKEND = (
    b"export_amd (",
    b"export_row_amd (",
    b"export_dual_src_blend_amd (",
    b"export_agx (",
    b"load_urb_output_handle_intel (",
    b"store_urb_vec4_intel (",
    b"store_urb_lsc_intel (",
    b"ast_nv (",
    b"fs_out_nv (",
    b"copy_fs_outputs_nv (",
    b"uvsw_write_pco (",
    b"frag_store_pco (",
    b"blend_pan (",
    b"store_raw_output_pan (",
    b"store_combined_output_pan (",
    b"store_tlb_sample_color_v3d (",
    b"store_local_pixel_agx (",
)
_VENDOR_INTRINSIC = re.compile(rb"_(?:amd|intel|nv|ir3|pan|agx|v3d|pco|r600|etna|lima|zink|dxil) \(")
_SLOT = rb"put\w* \([^\n]*?\blocation=(\w+) slots=(\d{1,2})\b"
_SLOT_LOAD, _SLOT_STORE = re.compile(rb"load_\w*in" + _SLOT), re.compile(rb"store_\w*out" + _SLOT)
_FIRST_STAGES = frozenset({Stage.VERTEX, Stage.TASK})


def lowering_level(
    text: bytes, stage: Stage | None, inputs_read: int, outputs_written: int
) -> LoweringLevel | None:
    """Return the level of a dump; None without varying inputs and outputs.

    The masks are those of the header, 0 for a missing field. The level is that of the side that is lowered
    furthest: a fragment shader with color exports is a late snapshot, regardless of its inputs.
    """
    sides = output_level(text, outputs_written), input_level(text, stage, inputs_read)
    return max((level for level in sides if level is not None), default=None)


def input_level(text: bytes, stage: Stage | None, inputs_read: int) -> LoweringLevel | None:
    """Return the level of the inputs other than vertex attributes; None if there are none."""
    if stage in _FIRST_STAGES:
        return None
    if _has_any(text, _READS_BACKEND):
        return LoweringLevel.BACKEND_IO
    if _has_any(text, _READS_SLOTS):
        return LoweringLevel.LOWERED_IO
    if b"(shader_in" in text:
        return LoweringLevel.VARIABLES
    if not inputs_read:
        return None
    # The mask of a fragment shader whose loads were all removed may be stale: Mesa updates it rarely.
    is_lowered = stage is not Stage.FRAGMENT or _VENDOR_INTRINSIC.search(text) is not None
    return LoweringLevel.BACKEND_IO if is_lowered else None


def output_level(text: bytes, outputs_written: int) -> LoweringLevel | None:
    """Return the level of the outputs; None if there are none."""
    if _has_any(text, _WRITES_BACKEND):
        return LoweringLevel.BACKEND_IO
    if _has_any(text, _WRITES_SLOTS):
        return LoweringLevel.LOWERED_IO
    if b"(shader_out" in text:
        return LoweringLevel.VARIABLES
    return LoweringLevel.BACKEND_IO if outputs_written else None


def accessed_slots(text: bytes) -> tuple[int, int]:
    """Return the masks of the slots that slot intrinsics load as inputs and store as outputs."""
    return _slots(_SLOT_LOAD, text), _slots(_SLOT_STORE, text)


def _slots(accesses: re.Pattern[bytes], text: bytes) -> int:
    mask = 0
    for access in accesses.finditer(text):
        if (first := slot_number(access[1].decode())) >= 0:
            mask |= (1 << int(access[2])) - 1 << first
    return mask


def _has_any(text: bytes, names: tuple[bytes, ...]) -> bool:
    return any(name in text for name in names)
