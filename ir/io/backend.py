"""Slots of backend I/O, as far as the indices of an access determine them.

NVIDIA's attribute memory has a fixed address for each slot (Mesa: nak.h, nak_varying_attr_addr), and so have
the outputs of its fragment shaders. AMD's exports have a fixed target for positions and colors; parameters
are numbered as the driver assigned them, which a dump does not show. For Intel's URB see `nirls.ir.io.urb`.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr
from nirls.ir.model.slots import FRAG_RESULTS, varying_slot
from nirls.ir.model.stage import Stage


@dataclass(frozen=True, slots=True)
class BackendAccess:
    """The slots [slot, slot + num_slots) that some lanes of a loaded or stored value are in.

    `num_slots` is 0 if a variable index may choose any slot. `component` is that of lane 0, which is negative
    if the lanes before are in another slot.
    """

    is_output: bool
    is_store: bool
    slot: int
    num_slots: int
    component: int
    lanes: tuple[int, ...]

    @property
    def components(self) -> tuple[int, ...]:
        """The accessed components."""
        return tuple(self.component + lane for lane in self.lanes)


# Byte addresses in NVIDIA's attribute memory: first byte, last byte, slot of the first 16 bytes.
_NV_PER_VERTEX = (
    (0x060, 0x063, varying_slot("PRIMITIVE_ID")),
    (0x064, 0x067, varying_slot("LAYER")),
    (0x068, 0x06B, varying_slot("VIEWPORT")),
    (0x06C, 0x06F, varying_slot("PSIZ")),
    (0x070, 0x07F, varying_slot("POS")),
    (0x080, 0x27F, varying_slot("VAR0")),
    (0x280, 0x29F, varying_slot("COL0")),
    (0x2A0, 0x2BF, varying_slot("BFC0")),
    (0x2C0, 0x2DF, varying_slot("CLIP_DIST0")),
    (0x2E0, 0x2E7, varying_slot("PNTC")),
    (0x2E8, 0x2EB, varying_slot("FOGC")),
    (0x3FC, 0x3FF, varying_slot("FACE")),
)
_NV_PATCH = (
    (0x000, 0x00F, varying_slot("TESS_LEVEL_OUTER")),
    (0x010, 0x017, varying_slot("TESS_LEVEL_INNER")),
    (0x020, 0x21F, varying_slot("PATCH0")),
)
_NV_OUTPUT_FLAG = 1
_NV_PATCH_FLAG = 2
_NV_COLOR_BYTES = 16
_NV_SAMPLE_MASK, _NV_DEPTH = 0x80, 0x84

_AMD_COLORS = 8
_AMD_DEPTH, _AMD_FIRST_POSITION = 8, 12


def backend_access(instr: IntrinsicInstr, stage: Stage | None) -> BackendAccess | None:
    """Return the slots that a backend intrinsic accesses; None if its indices do not determine them."""
    match instr.name:
        case "ald_nv" | "ast_nv":
            return _nv_attribute(instr, stage)
        case "ipa_nv":
            return _nv_interpolated(instr)
        case "fs_out_nv":
            return _nv_fragment_output(instr)
        case "export_amd":
            return _amd_export(instr, stage)
        case _:
            return None


def _nv_attribute(instr: IntrinsicInstr, stage: Stage | None) -> BackendAccess | None:
    is_store = instr.name == "ast_nv"
    flags = instr.int_index("flags")
    # A vertex shader reads its attributes from the same addresses that it writes its outputs to.
    if stage is Stage.VERTEX and not is_store and not flags & _NV_OUTPUT_FLAG:
        return None
    value = (instr.sources[0].def_ if instr.sources else None) if is_store else instr.def_
    offset = instr.sources[-1].def_instr if instr.sources else None
    if value is None:
        return None
    address = instr.int_index("base")
    table = _NV_PATCH if flags & _NV_PATCH_FLAG or address < 0x60 else _NV_PER_VERTEX
    is_output = is_store or bool(flags & _NV_OUTPUT_FLAG)
    if isinstance(offset, LoadConstInstr):
        return _at(table, address + offset.values[0], value.num_components, 1, is_output, is_store)
    first, span = instr.int_index("range_base"), instr.int_index("range")
    return _at(table, first, value.num_components, -(-span // 16), is_output, is_store)


def _nv_interpolated(instr: IntrinsicInstr) -> BackendAccess | None:
    offset = instr.sources[-1].def_instr if instr.sources else None
    if not isinstance(offset, LoadConstInstr):
        return None
    return _at(_NV_PER_VERTEX, instr.int_index("base") + offset.values[0], 1, 1, False, False)


def _at(
    table: tuple[tuple[int, int, int], ...],
    address: int,
    num_components: int,
    num_slots: int,
    is_output: bool,
    is_store: bool,
) -> BackendAccess | None:
    for first, last, slot in table:
        if first <= address <= last:
            start = (address - first) // 4
            lanes = tuple(range(num_components))
            return BackendAccess(is_output, is_store, slot + start // 4, num_slots, start % 4, lanes)
    return None


def _nv_fragment_output(instr: IntrinsicInstr) -> BackendAccess | None:
    address = instr.int_index("base")
    if address == _NV_SAMPLE_MASK:
        return BackendAccess(True, True, FRAG_RESULTS.index("SAMPLE_MASK"), 1, 0, (0,))
    if address == _NV_DEPTH:
        return BackendAccess(True, True, FRAG_RESULTS.index("DEPTH"), 1, 0, (0,))
    target, rest = divmod(address, _NV_COLOR_BYTES)
    if not 0 <= target < _AMD_COLORS or rest % 4:
        return None
    return BackendAccess(True, True, FRAG_RESULTS.index("DATA0") + target, 1, rest // 4, (0,))


def export_target(instr: IntrinsicInstr) -> int:
    """Return the target of an export of AMD, which was called `base` before Mesa 26."""
    return instr.int_index("target", instr.int_index("base"))


def _amd_export(instr: IntrinsicInstr, stage: Stage | None) -> BackendAccess | None:
    target = export_target(instr)
    lanes = tuple(lane for lane in range(4) if instr.write_mask >> lane & 1)
    if stage is not Stage.FRAGMENT:
        # Further positions hold point size, layer, viewport and clip distances, packed as needed.
        is_position = target == _AMD_FIRST_POSITION
        return BackendAccess(True, True, varying_slot("POS"), 1, 0, lanes) if is_position else None
    if target == _AMD_DEPTH:
        return BackendAccess(True, True, FRAG_RESULTS.index("DEPTH"), 1, 0, (0,))
    if not 0 <= target < _AMD_COLORS:
        return None
    # 16-bit formats pack two channels into one, so the written channels are unknown.
    return BackendAccess(True, True, FRAG_RESULTS.index("DATA0") + target, 1, 0, lanes)
