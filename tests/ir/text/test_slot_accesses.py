"""Accesses of inputs and outputs by slot, told from the text."""

from __future__ import annotations

from nirls.ir.text.slot_accesses import slot_accesses

DUMP = b"""decl_var shader_in INTERP_MODE_NONE none vec4 a (VARYING_SLOT_VAR0, 0, 0)
    32x3  %3 = @load_input (%2 (0x0)) (base=4, component=1, io location=VARYING_SLOT_VAR0 slots=1 high_16bits)
               @store_per_vertex_output (%3, %1, %2) (wrmask=xz, base=7, io location=VARYING_SLOT_POS slots=2)
    vec2 32 ssa_1 = intrinsic load_input (ssa_0) (0, 0, 160, 1) /* base=0 */ /* location=31 slots=1 */
    32  %9 = @load_ubo (%1) (location=VARYING_SLOT_VAR1 slots=1)
"""


def test_accesses() -> None:
    load, store, older = slot_accesses(DUMP)
    assert [access.name for access in (load, store, older)] == [
        "load_input",
        "store_per_vertex_output",
        "load_input",
    ]
    assert [(access.is_store, access.is_output) for access in (load, store)] == [(False, False), (True, True)]
    assert [(access.slot, access.count) for access in (load, store, older)] == [
        (b"VARYING_SLOT_VAR0", 1),
        (b"VARYING_SLOT_POS", 2),
        (b"31", 1),
    ]
    assert [access.base for access in (load, store, older)] == [b"4", b"7", b"0"]
    assert (load.component, store.component) == (1, 0)
    assert (load.width, store.write_mask, older.width) == (3, b"xz", 2)
    assert b"high_16bits" in load.flags


def test_places_are_those_of_the_dump() -> None:
    for access in slot_accesses(DUMP):
        assert DUMP[access.start : access.end].decode() == access.name
        assert DUMP[access.line_start : access.line_end] == access.line
    assert len(list(slot_accesses(DUMP, DUMP.index(b"@store")))) == 2


def test_the_last_source_is_the_offset() -> None:
    load, store, older = slot_accesses(DUMP)
    assert store.last_source == b"%2"
    assert load.last_source == b"%2 (0x0"
    assert older.last_source.startswith(b"ssa_0")
