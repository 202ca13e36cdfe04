"""Which blocks all invocations of a patch run together."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.divergence import patch_divergence
from nirls.passes.tessellation.uniform_flow import all_run_together
from tests.passes.tessellation.control_text import control, entry

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
