"""Inputs of other invocations through outputs of the patch."""

from __future__ import annotations

from nirls.passes.tessellation.inline_vs_inputs import plan_cross_slots
from nirls.passes.tessellation.inline_vs_interface import IoPart, read_interface
from tests.passes.shader_text import shader
from tests.passes.tessellation.patches import ZERO, control, load, out, store, vertex

VAR0 = 32


def test_only_what_crosses_gets_a_slot() -> None:
    tcs = control(load(3, "VAR0"), load(4, "VAR5", "%0", component=1), out("%3", "VAR1"))
    plan = plan_cross_slots(read_interface(vertex(store("%1", "VAR0")), tcs, 3), tcs, None)
    assert plan is not None
    assert plan.parts == [IoPart(VAR0 + 5, 1, False)]
    assert plan.slot_of == {VAR0 + 5: VAR0 + 5}
    assert plan.base_of == {VAR0 + 5: 1}


def test_ranges_stay_together_and_away_from_what_is_used() -> None:
    tcs = control(load(3, "VAR0", "%0", offset="%1", slots=3), out("%3", "VAR1"), out("%3", "VAR5"))
    tes = shader("TESS_EVAL", ZERO, load(3, "VAR8", "%0"))
    plan = plan_cross_slots(read_interface(vertex(store("%1", "VAR0")), tcs, 3), tcs, tes)
    assert plan is not None
    assert plan.slot_of == {VAR0: VAR0 + 2, VAR0 + 1: VAR0 + 3, VAR0 + 2: VAR0 + 4}
    crowded = [out("%3", f"VAR{slot}") for slot in range(0, 32, 3)]
    tcs = control(load(3, "VAR0", "%0", offset="%1", slots=3), *crowded)
    assert plan_cross_slots(read_interface(vertex(store("%1", "VAR0")), tcs, 3), tcs, tes) is None


def test_system_slots_move_to_varyings() -> None:
    tcs = control(load(3, "POS", "%0"), out("%3", "VAR0"))
    plan = plan_cross_slots(read_interface(vertex(store("%1", "POS")), tcs, 3), tcs, None)
    assert plan is not None
    assert plan.slot_of == {0: VAR0 + 1}
