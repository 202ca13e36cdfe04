from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import run_shader
from nirls.ir.evaluate.races import LastWriters
from nirls.ir.parse import parse_dump

BARRIER = (
    "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)"
)
SHADER = """shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
decl_var shared INTERP_MODE_NONE none int[8] tile
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = @load_local_invocation_index
    32  %2 = deref_var &tile (shared int[8])
    32  %3 = deref_array &(*%2)[%1] (shared int)
    @store_deref (%3, %1) (wrmask=x, access=none)
    BARRIER
    32  %4 = load_const (0x00000001)
    32  %5 = ixor %1, %4 (0x1)
    32  %6 = deref_array &(*%2)[%READ] (shared int)
    32  %7 = @load_deref (%6) (access=none)
    32  %8 = ishl %1, %9 (0x2)
    @store_ssbo (%7, %0 (0x0), %8) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
""".replace("    32  %8", "    32  %9 = load_const (0x00000002)\n    32  %8")


@pytest.mark.parametrize(
    ("barrier", "read", "defined"), [(BARRIER, "5", True), ("", "5", False), ("", "1", True)]
)
def test_what_others_wrote_needs_a_barrier(barrier: str, read: str, defined: bool) -> None:
    shader = parse_dump(SHADER.replace("BARRIER", barrier).replace("%READ", f"%{read}").encode())
    assert not shader.unreadable
    result = run_shader(shader, Environment(1), lanes=8)
    cells = [cell for key, cell in result.memory.items() if key[0] == "ssbo"]
    assert len(cells) == 8
    assert {cell.poison for cell in cells} == {not defined}


def test_each_group_has_its_own_elements() -> None:
    writers = LastWriters(2, 2)
    group = np.array([0, 0, 1, 1])
    writers.note(0, np.array([True, False, False, False]), group, 0)
    assert writers.races(0, group, 0).tolist() == [False, True, False, False]
    assert writers.races(1, group, 0).tolist() == [False] * 4
    assert writers.races(0, group, 1).tolist() == [False] * 4
    assert writers.races(np.array([5, 5, 0, 0]), group, 0).tolist() == [False] * 4
