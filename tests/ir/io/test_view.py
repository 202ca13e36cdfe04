from __future__ import annotations

from nirls.ir.io.access import io_accesses
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.io.view import IoView
from nirls.ir.model.slots import varying_slot
from nirls.ir.text.parse import parse_dump

SHADER = parse_dump(b"""\
shader: MESA_SHADER_GEOMETRY
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = @load_urb_input_handle_indexed_intel (%0)
    32x8  %2 = @load_urb_vec4_intel (%1, %0) (base=1)
    32x4  %3 = @load_per_vertex_input (%0, %0) (base=0, component=0, io location=VARYING_SLOT_VAR3 slots=1)
    @store_output (%3, %0) (base=0, wrmask=xy, component=0, io location=VARYING_SLOT_VAR0 slots=1)
    @emit_vertex () (stream_id=0)
}
""")
MAPS = urb_maps(b"""
GS Input MESA_SHADER_GEOMETRY VUE map (3 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_POS
  [02] VARYING_SLOT_VAR7
""")


def test_accesses_of_all_forms() -> None:
    found = [(one.slot, one.components, one.form, one.is_output) for one in IoView(SHADER, MAPS).accesses()]
    whole = (0, 1, 2, 3)
    assert found == [
        (varying_slot("POS"), whole, LoweringLevel.BACKEND_IO, False),
        (varying_slot("VAR7"), whole, LoweringLevel.BACKEND_IO, False),
        (varying_slot("VAR3"), whole, LoweringLevel.LOWERED_IO, False),
        (varying_slot("VAR0"), (0, 1), LoweringLevel.LOWERED_IO, True),
    ]
    assert len(list(IoView(SHADER).accesses())) == 2


def test_lanes_of_an_access_of_two_slots() -> None:
    first, second = list(IoView(SHADER, MAPS).accesses())[:2]
    assert first.instr is second.instr
    assert (first.lanes, second.lanes) == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert IoView(SHADER, MAPS).accesses_of(first.instr)[1].places == second.places
    assert IoView(SHADER).why_unknown(first.instr) == "no VUE map follows"


def test_slots_of_accesses_by_offset_mean_nothing() -> None:
    places = "(wrmask=x, component=0, io location=VARYING_SLOT_POS slots=1, base="
    stores = "\n".join(f"@store_output (%0, %0) {places}{base})" for base in range(4))
    shader = parse_dump(
        "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n    32 %0 = load_const (0x00000000)\n"
        f"{stores}\n}}\n".encode()
    )
    assert not list(IoView(shader).accesses())
    assert not list(io_accesses(shader))
