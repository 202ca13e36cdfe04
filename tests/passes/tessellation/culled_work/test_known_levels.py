"""Levels that every invocation can say without being told."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.divergence import patch_divergence
from nirls.ir.model.builder import Builder
from nirls.passes.tessellation.culled_work.known_levels import (
    KnownLevel,
    all_run_together,
    build_known_levels,
    known_level,
)
from nirls.passes.tessellation.culled_work.output_access import OUTER, output_accesses
from tests.passes.expectation import assert_valid
from tests.passes.tessellation.control_text import control, entry

START = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
32 %2 = @load_primitive_id
%3 = in VAR0.x [%0]
%4 = in VAR0.x [%1]
1 %5 = ieq {question}, %0
"""
BRANCHES = """
if %5 {{
    block b1:  // preds: b0
    {then}
}} else {{
    block b2:  // preds: b0
    {otherwise}
}}
block b3:  // preds: b1 b2
block b4:
"""


def level_of(question: str, then: str, otherwise: str = "", before: str = "") -> KnownLevel | None:
    body = START.format(question=question) + before + BRANCHES.format(then=then, otherwise=otherwise)
    shader = control(body)
    impl = entry(shader)
    stores = [store for store in output_accesses(impl).stores if (OUTER, 0) in store.places]
    found = known_level(impl, patch_divergence(shader), (OUTER, 0), stores)
    if found is not None:
        values = build_known_levels(impl, [found])
        level = values.levels[OUTER, 0]
        assert level.num_components == 1
        Builder(impl, impl.blocks()[-1]).alu("fneg", [level], 1, 32)
        assert len(values.stand_ins) == (not found.by_all)
        assert_valid(shader)
    return found


@pytest.mark.parametrize(
    ("question", "then", "otherwise", "by_all"),
    [
        # All invocations take the same branch, and each branch stores.
        ("%2", "patch OUTER.x = %3", "patch OUTER.x = %0", True),
        # One invocation stores what all can compute.
        ("%1", "32 %6 = fadd %3, %3\npatch OUTER.x = %6", "", False),
        # Not on every way.
        ("%2", "patch OUTER.x = %3", "", False),
        # It differs between invocations.
        ("%2", "patch OUTER.x = %4", "patch OUTER.x = %0", None),
        ("%1", "patch OUTER.x = %4", "", None),
        # Two stores, and who comes last depends on the invocation.
        ("%1", "patch OUTER.x = %3", "patch OUTER.x = %0", None),
        # The value is tied to its place.
        ("%1", "%6 = load VAR1.x [%0]\npatch OUTER.x = %6", "", None),
    ],
)
def test_known_or_not(question: str, then: str, otherwise: str, by_all: bool | None) -> None:
    found = level_of(question, then, otherwise)
    assert (None if found is None else found.by_all) is by_all


def test_a_store_of_all_at_the_top() -> None:
    found = level_of("%1", "", before="patch OUTER.x = %3\n")
    assert found is not None
    assert found.by_all


def test_no_store_is_not_known() -> None:
    assert level_of("%1", "out VAR0.x [%1] = %3") is None


BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
32 %2 = @load_primitive_id
1 %3 = ieq {value}, %0
if %3 {{
    block b1:  // preds: b0
}} else {{
    block b2:  // preds: b0
}}
block b3:  // preds: b1 b2
loop {{
    block b4:  // preds: b3 b7
    32 %4 = phi b3: %0, b7: %6
    1 %5 = ige %4, {value}
    if %5 {{
        block b5:  // preds: b4
        break
    }} else {{
        block b6:  // preds: b4
    }}
    block b7:  // preds: b6
    32 %6 = iadd %4, %2
}}
block b8:  // preds: b5
block b9:
"""


@pytest.mark.parametrize(("value", "apart"), [("%1", {1, 2, 4, 5, 6, 7}), ("%2", set())])
def test_divergent_decisions_part_the_invocations(value: str, apart: set[int]) -> None:
    shader = control(BODY.format(value=value))
    info = patch_divergence(shader)
    blocks = entry(shader).blocks()
    assert {block.index for block in blocks if not all_run_together(info, block)} == apart
