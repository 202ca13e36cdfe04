"""The outputs of a vertex shader as values at its end."""

from __future__ import annotations

from nirls.ir.model.instructions import PhiInstr, UndefInstr
from nirls.passes.booleans import booleans_of
from nirls.passes.tessellation.inline_vs.forwarding import outputs_at_end, plan_cross_slots
from nirls.passes.tessellation.inline_vs.interface import IoPart, read_interface
from tests.passes.shader_text import shader
from tests.passes.tessellation.patches import ZERO, control, load, names, of_name, out, store, vertex

CONDITIONAL = (
    "1     %2 = flt %1, %0",
    "if %2 {",
    "    block b2:  // preds: b0",
    f"    {store('%1', 'VAR0')}",
    "} else {",
    "    block b3:  // preds: b0",
    "}",
    "block b4:  // preds: b2 b3",
)


def test_last_store_counts() -> None:
    vs = vertex(store("%0", "VAR0"), store("%1", "VAR0"))
    impl = vs.entrypoint
    assert impl is not None
    held = outputs_at_end(impl, read_interface(vs, control(), 3), booleans_of(vs))
    (read,) = of_name(vs, "load_input")
    assert held[IoPart(32, 0, False)].def_ is read.def_
    assert "store_output" not in names(vs)


def test_conditional_store_makes_a_phi_with_what_was_there() -> None:
    for before, kind in ((store("%0", "VAR0"), "load_const"), ("32    %9 = mov %0", "undef")):
        vs = vertex(before, *CONDITIONAL)
        impl = vs.entrypoint
        assert impl is not None
        held = outputs_at_end(impl, read_interface(vs, control(), 3), booleans_of(vs))
        phi = held[IoPart(32, 0, False)].ssa.instr
        assert isinstance(phi, PhiInstr)
        makers = [src.ssa.instr for src in phi.sources]
        assert kind in [getattr(maker, "kind", "") for maker in makers]
        assert any(isinstance(maker, UndefInstr) for maker in makers) == (kind == "undef")


def test_store_at_a_variable_place_chooses() -> None:
    vs = vertex(store("%0", "VAR0", offset="%1", slots=2))
    impl = vs.entrypoint
    assert impl is not None
    held = outputs_at_end(impl, read_interface(vs, control(), 3), booleans_of(vs))
    assert len(held) == 2
    assert names(vs).count("bcsel") == 2


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
