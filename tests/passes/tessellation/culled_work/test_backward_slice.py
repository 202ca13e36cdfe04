"""What an instruction needs: operands, decisions, and what it asks for."""

from __future__ import annotations

from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import JumpInstr, PhiInstr
from nirls.passes.tessellation.culled_work.backward_slice import Slicer
from tests.passes.tessellation.control_text import control, entry, intrinsics

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
1 %2 = ieq %1, %0
1 %3 = ilt %1, %0
if %2 {
    block b1:  // preds: b0
    32 %4 = iadd %1, %1
} else {
    block b2:  // preds: b0
}
block b3:  // preds: b1 b2
32 %5 = phi b1: %4, b2: %0
loop {
    block b4:  // preds: b3 b7
    32 %6 = phi b3: %0, b7: %8
    1 %7 = ige %6, %5
    if %7 {
        block b5:  // preds: b4
        break
    } else {
        block b6:  // preds: b4
    }
    block b7:  // preds: b6
    32 %8 = iadd %6, %1
    out VAR0.x [%1] = %8
}
block b8:  // preds: b5
if %3 {
    block b9:  // preds: b8
    out VAR1.x [%1] = %0
} else {
    block b10:  // preds: b8
}
block b11:  // preds: b9 b10
out VAR2.x [%1] = %1
block b12:
"""


def test_decisions_are_needed_with_what_they_depend_on() -> None:
    impl = entry(control(BODY))
    in_loop, under_if, on_top = intrinsics(control(BODY), "store_per_vertex_output")
    shader = control(BODY)
    impl = entry(shader)
    in_loop, under_if, on_top = intrinsics(shader, "store_per_vertex_output")
    slicer = Slicer(impl)
    looped = slicer.needed_for([in_loop])
    assert {type(node) for node in looped.nodes} == {If, Loop}
    assert len(looped.nodes) == 3, "the loop, the if that ends it, and the if of the phi that it counts to"
    assert any(isinstance(instr, JumpInstr) for instr in looped.instrs)
    assert sum(isinstance(instr, PhiInstr) for instr in looped.instrs) == 2
    assert sorted(value.index for value in _values(looped.instrs)) == [0, 1, 2, 4, 5, 6, 7, 8]
    assert sorted(value.index for value in _values(slicer.needed_for([under_if]).instrs)) == [0, 1, 3]
    assert slicer.needed_for([on_top]).nodes == set()


def test_values_that_are_there_anyway_end_the_search() -> None:
    shader = control(BODY)
    in_loop = intrinsics(shader, "store_per_vertex_output")[0]
    known = [value for value in entry(shader).defs() if value.index == 5]
    found = Slicer(entry(shader)).needed_for([in_loop], known)
    assert 4 not in {value.index for value in _values(found.instrs)}
    assert len(found.nodes) == 2


def test_questions_bring_their_answers() -> None:
    shader = control(BODY)
    in_loop, under_if, on_top = intrinsics(shader, "store_per_vertex_output")
    slicer = Slicer(entry(shader), {on_top: ["place"]}, {"place": [under_if, in_loop]})
    assert {in_loop, under_if, on_top} <= slicer.needed_for([on_top]).instrs
    without = slicer.needed_for([on_top], without=[in_loop]).instrs
    assert under_if in without
    assert in_loop not in without


def _values(instrs: object) -> list[object]:
    return [instr.def_ for instr in instrs if instr.def_ is not None]  # type: ignore[attr-defined]
