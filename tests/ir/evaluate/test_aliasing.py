"""Memory whose parts may overlap is not run."""

from __future__ import annotations

import pytest

from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.machine import Machine
from tests.passes.expectation import parse_body

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = deref_var &a (shared uint)
32 %2 = deref_var &b (shared uint)
@store_deref (%1, %0) (wrmask=x, access=none)
{}
block b1:
"""
VARIABLES = """workgroup_size: 4, 1, 1
shared_memory_explicit_layout: {}
decl_var shared INTERP_MODE_NONE none uint a
decl_var shared INTERP_MODE_NONE none uint b
"""
OTHER = "32 %3 = @load_deref (%2) (access=none)"
OFFSET = "32 %3 = @load_shared (%0) (base=0, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(("layout", "line"), [("true", OTHER), ("false", OFFSET)])
def test_overlapping_memory(layout: str, line: str) -> None:
    with pytest.raises(Unsupported, match=r"overlap|by variables and by offsets"):
        Machine(parse_body(BODY.format(line), "COMPUTE", VARIABLES.format(layout)))


@pytest.mark.parametrize(("layout", "line"), [("false", OTHER), ("true", "")])
def test_variables_of_their_own(layout: str, line: str) -> None:
    Machine(parse_body(BODY.format(line), "COMPUTE", VARIABLES.format(layout)))
