"""What is divided off, and why not."""

from __future__ import annotations

from nirls.passes.tessellation.give_up import GiveUp
from nirls.passes.tessellation.split_plan import SplitPlan, costs_nothing, plan_split
from tests.passes.tessellation.control_text import TRIANGLES, control

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
%2 = in VAR0.x [%1]
out VAR0.x [%1] = %2
barrier
%3 = load VAR0.x [%0]
patch OUTER.x = %3
patch OUTER.y = %3
32 %4 = fsin %2
out VAR1.x [%1] = %4
block b1:
"""


def plan(body: str = BODY) -> SplitPlan:
    found = plan_split(control(body), TRIANGLES)
    assert isinstance(found, SplitPlan), found
    return found


def test_levels_take_along_what_they_are_computed_from() -> None:
    found = plan()
    assert [store.instr in found.first_stores for store in found.accesses.stores] == [True, True, True, False]
    assert found.total == 10
    assert [instr.kind for instr in found.skippable()] == ["alu", "intrinsic"]
    assert {value.index for value in found.shared} == {0, 1, 2, 3}


def test_only_levels_that_are_stored_are_compared() -> None:
    assert plan().compared == (0, 1)


def test_constants_cost_nothing() -> None:
    found = plan()
    assert [costs_nothing(instr) for instr in found.impl.instrs()].count(True) == 1


def test_levels_that_do_not_decide_divide_nothing() -> None:
    found = plan_split(control(BODY.replace("OUTER", "INNER")), TRIANGLES)
    assert isinstance(found, GiveUp)
    assert "none of the levels" in found.reason


def test_levels_that_need_all_outputs_divide_nothing() -> None:
    found = plan_split(control(BODY.replace("32 %4 = fsin %2\nout VAR1.x [%1] = %4", "")), TRIANGLES)
    assert isinstance(found, GiveUp)
    assert found.reason == "computes the levels from all of its other outputs"
    assert found.because_of is not None


def test_outputs_without_a_slot_divide_nothing() -> None:
    line = (
        "@store_output (%4, %0) (base=3, range=1, wrmask=x, component=0, src_type=float32,"
        " io location=UNKNOWN slots=1, xfb(), xfb2())\nblock b1:"
    )
    found = plan_split(control(BODY.replace("block b1:", line)), TRIANGLES)
    assert isinstance(found, GiveUp)
    assert "slot" in found.reason
