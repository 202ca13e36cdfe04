"""What is divided off, and why not."""

from __future__ import annotations

import pytest

from nirls.ir.effects import effects_of
from nirls.passes.tessellation.culled_work.split_plan import (
    GiveUp,
    SplitPlan,
    costs_nothing,
    effect_in_the_way,
    plan_split,
)
from tests.passes.tessellation.control_text import TRIANGLES, control, entry

START = "block b0:  // preds:\n32 %0 = load_const (0x00000000)\n32 %1 = @load_invocation_id\n"
LOOP = """
loop {
    block b1:  // preds: b0 b1
    32 %2 = iadd %0, %1
}
block b2:  // preds:
block b3:
"""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("out VAR0.x [%1] = %0", None),
        ("barrier", None),
        ("32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", None),
        (
            "@store_global (%0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)",
            "stores to memory (store_global)",
        ),
        ("32 %2 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=1)", "registers"),
        ("@store_scratch (%0, %0) (align_mul=4, align_offset=0, wrmask=x)", "scratch"),
        ("32 %2 = @ssbo_atomic (%0, %0, %0) (access=none, atomic_op=iadd)", "has an atomic"),
        ("halt", "ends early (halt)"),
    ],
)
def test_one_instruction(line: str, reason: str | None) -> None:
    shader = control(f"{START}{line}\nblock b1:")
    found = effect_in_the_way(shader, entry(shader))
    assert (None if found is None else found.because_of) is (
        None if reason is None else list(entry(shader).instrs())[-1]
    )
    if reason is not None:
        assert found is not None
        assert reason in found.reason


def test_a_loop_that_nothing_leaves() -> None:
    shader = control(START + LOOP)
    found = effect_in_the_way(shader, entry(shader))
    assert found is not None
    assert found.reason == "has a loop that never ends"


def test_work_of_a_subgroup() -> None:
    shader = control(f"{START}1 %2 = @elect\n32 %3 = @read_first_invocation (%1)\nblock b1:")
    assert [effects_of(instr).crosses_lanes for instr in entry(shader).instrs()] == [False, False, True, True]


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
    assert [store.instr in found.first.instrs for store in found.accesses.stores] == [True, True, True, False]
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


@pytest.mark.parametrize("removed", ["patch OUTER", "out VAR"])
def test_an_effect_is_no_reason_where_nothing_is_to_be_divided(removed: str) -> None:
    store = "@store_global (%0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\nblock b1:"
    body = BODY.replace("block b1:", store)
    assert isinstance(plan_split(control(body), TRIANGLES), GiveUp)
    lines = [line for line in body.split("\n") if not line.startswith(removed)]
    assert plan_split(control("\n".join(lines)), TRIANGLES) is None


@pytest.mark.parametrize(("offset", "is_planned"), [("%0 (0x0)", True), ("%2", False)])
def test_nothing_is_planned_for_outputs_by_offset(offset: str, is_planned: bool) -> None:
    levels = "(base=0, wrmask=x, component=0, io location=VARYING_SLOT_TESS_LEVEL_OUTER slots=1)"
    store = "(base=4, wrmask=x, component=0, io location=VARYING_SLOT_VAR0 slots=1)"
    body = (
        f"{START}32 %2 = ishl %1, %1\n@store_output (%0, %0 (0x0)) {levels}\n"
        f"@store_per_vertex_output (%0, %1, {offset}) {store}\nblock b1:"
    )
    assert (plan_split(control(body), TRIANGLES) is not None) is is_planned
