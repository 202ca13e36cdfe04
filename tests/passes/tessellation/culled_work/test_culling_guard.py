"""The question whether a patch survives, made and recognized."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.tessellation import CullingRule, Spacing
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import AluInstr
from nirls.passes.tessellation.culled_work.culling_guard import build_not_culled, is_behind_guard
from nirls.passes.tessellation.culled_work.output_access import output_accesses
from tests.passes.tessellation.control_text import control, entry, intrinsics

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
%2 = in VAR0.x [%0]
%3 = in VAR0.y [%0]
patch OUTER.x = %2
patch OUTER.y = %3
%7 = load OUTER.x
%8 = load PATCH0.x
32 %9 = fadd %2, %3
1 %4 = flt %0, %2
1 %5 = fge %3, %0
1 %6 = {operation}
if %6 {{
    block b1:  // preds: b0
    {then}
}} else {{
    block b2:  // preds: b0
    {otherwise}
}}
block b3:  // preds: b1 b2
block b4:
"""
OUT = "out VAR0.x [%1] = %2"


@pytest.mark.parametrize(
    ("operation", "then", "otherwise", "guarded"),
    [
        ("iand %4, %5", OUT, "", True),
        ("iand %4, %5", "", OUT, False),
        ("ior %4, %5", OUT, "", False),
        ("ieq %1, %0", OUT, "", False),
        ("flt %0, %1", OUT, "", False),
        ("flt %0, %3", OUT, "", True),
        ("flt %0, %7", OUT, "", True),
        ("flt %0, %8", OUT, "", False),
        ("flt %0, %9", OUT, "", False),
    ],
)
def test_only_the_branch_of_patches_that_survive_is_guarded(
    operation: str, then: str, otherwise: str, guarded: bool
) -> None:
    shader = control(BODY.format(operation=operation, then=then, otherwise=otherwise))
    (store,) = intrinsics(shader, "store_per_vertex_output")
    assert is_behind_guard(store, output_accesses(entry(shader))) is guarded


def test_each_level_is_asked_for_once_and_exactly() -> None:
    shader = control(BODY.format(operation="iand %4, %5", then=OUT, otherwise=""))
    impl = entry(shader)
    last = impl.body[-1]
    assert isinstance(last, Block)
    values = {value.index: value for value in impl.defs()}
    levels = [values[2], values[3], values[2]]
    rule = CullingRule(spacing=Spacing.EQUAL, below_half=True)
    condition = build_not_culled(Builder(impl, last), shader, levels, rule)
    built = [instr for instr in last if isinstance(instr, AluInstr)]
    assert [instr.op for instr in built] == ["fge", "fge", "iand"]
    assert [instr.exact for instr in built] == [True, True, False]
    assert condition is built[-1].def_
