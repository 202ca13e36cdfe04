"""A plan carried out: the numbers that stay, and what is counted."""

from __future__ import annotations

import pytest

from nirls.passes.tessellation.culled_work.split import split
from nirls.passes.tessellation.culled_work.split_plan import SplitPlan, plan_split
from tests.passes.tessellation.control_text import TRIANGLES, assert_same_patches, control, copy, entry

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
%2 = in VAR0.x [{vertex}]
1 %3 = ieq %1, %0
if %3 {{
    block b1:  // preds: b0
    32 %4 = fadd %2, %2
    patch OUTER.x = %4
    patch OUTER.y = %2
    patch OUTER.z = %2
    32 %5 = fsin %2
    patch PATCH0.x = %5
}} else {{
    block b2:  // preds: b0
}}
block b3:  // preds: b1 b2
32 %6 = fexp2 %2
out VAR0.x [%1] = %6
block b4:
"""


@pytest.mark.parametrize(("vertex", "barriers"), [("%0", 0), ("%1", 1)])
def test_counts(vertex: str, barriers: int) -> None:
    before = control(BODY.format(vertex=vertex))
    after = copy(before)
    plan = plan_split(after, TRIANGLES)
    assert isinstance(plan, SplitPlan)
    done = split(after, plan, TRIANGLES)
    assert (done.skipped, done.total, done.barriers_added, done.loads_added) == (
        4,
        12,
        barriers,
        3 * barriers,
    )
    grown = len(list(entry(after).instrs())) - 12
    assert 0 < done.instructions_added <= grown
    assert_same_patches(before, after)


@pytest.mark.parametrize("vertex", ["%0", "%1"])
def test_values_keep_their_numbers_and_none_is_there_twice(vertex: str) -> None:
    before = control(BODY.format(vertex=vertex))
    after = copy(before)
    plan = plan_split(after, TRIANGLES)
    assert isinstance(plan, SplitPlan)
    split(after, plan, TRIANGLES)
    named = {value.index: value.instr for value in entry(after).defs()}
    assert len(named) == len(list(entry(after).defs()))
    for value in entry(before).defs():
        maker = named.get(value.index)
        if maker is not None and maker.span is not None and value.instr is not None:
            assert getattr(maker, "op", None) == getattr(value.instr, "op", None)
    assert {5, 6} <= named.keys(), "what only moved is still what it was called"
    blocks = [block.index for block in (*entry(after).blocks(), entry(after).end_block)]
    assert len(blocks) == len(set(blocks))
