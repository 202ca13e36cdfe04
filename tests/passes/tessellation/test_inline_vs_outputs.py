"""The outputs of a vertex shader as values at its end."""

from __future__ import annotations

from nirls.ir.model.instructions import PhiInstr, UndefInstr
from nirls.passes.buffers.booleans import booleans_of
from nirls.passes.tessellation.inline_vs_interface import IoPart, read_interface
from nirls.passes.tessellation.inline_vs_outputs import outputs_at_end
from tests.passes.tessellation.patches import control, names, of_name, store, vertex

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
