"""Memory: overlapping accesses of different sizes, atomics in lane order, what stays visible."""

from __future__ import annotations

import pytest

from nirls.ir.evaluate.compare import compare_results
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.result import OutputKey
from tests.ir.evaluate.shader_text import VAR0, run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000004)
    32     %2 = load_const (0x00000001)
    32     %3 = load_const (0x00000002)
    32     %4 = @load_vertex_id_zero_base
"""
LOAD = "(access=none, align_mul=4, align_offset=0)"
STORE = "(wrmask=x, access=none, align_mul=4, align_offset=0)"


def body(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\n                // succs: b99"


def test_loads_of_different_sizes_agree() -> None:
    text = body(
        f"    64     %5 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    32     %6 = @load_ssbo (%0 (0x0), %1 (0x4)) {LOAD}",
        f"    16     %7 = @load_ssbo (%0 (0x0), %3 (0x2)) {LOAD}",
        "    32     %8 = unpack_64_2x32_split_y %5",
        "    32     %9 = ixor %8, %6",
        "    32     %10 = unpack_64_2x32_split_x %5",
        "    32     %11 = load_const (0x00000010 = 16)",
        "    32     %12 = ushr %10, %11 (0x10)",
        "    32     %13 = u2u32 %7",
        "    32     %14 = ixor %12, %13",
        "    32     %15 = ior %9, %14",
        store("15", "0"),
    )
    assert stored(run(shader_of(text))) == [0] * 8


def test_a_store_is_found_again_and_seen_from_outside() -> None:
    text = body(
        "    32     %5 = ishl %4, %3 (0x2)",
        f"                @store_ssbo (%4, %0 (0x0), %5) {STORE}",
        f"    32     %6 = @load_ssbo (%0 (0x0), %5) {LOAD}",
        store("6", "0"),
    )
    result = run(shader_of(text))
    assert stored(result) == list(range(8))
    assert {key: cell.bits for key, cell in result.memory.items()} == {
        ("ssbo", 0, lane): lane for lane in range(8)
    }


def test_atomics_take_turns() -> None:
    text = body(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %5 = @ssbo_atomic (%0 (0x0), %0 (0x0), %2 (0x1)) (access=none, atomic_op=iadd)",
        store("5", "0"),
    )
    result = run(shader_of(text))
    assert stored(result) == list(range(8))
    assert result.memory["ssbo", 0, 0].bits == 8


def test_each_draw_has_its_own_memory() -> None:
    text = body(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %5 = @ssbo_atomic (%0 (0x0), %0 (0x0), %2) (access=none, atomic_op=iadd)",
        store("5", "0"),
    )
    result = Machine(shader_of(text)).run(Environment(1, draws=2), lanes=8)
    assert stored(result) == [*range(8), *range(8)]


def test_shared_memory_is_undefined_until_written_and_never_visible() -> None:
    text = body(
        "    32     %5 = @load_shared (%0 (0x0)) (base=0, align_mul=4, align_offset=0)",
        "                @store_shared (%2 (0x1), %0 (0x0)) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        "    32     %6 = @load_shared (%0 (0x0)) (base=0, align_mul=4, align_offset=0)",
        store("5", "0"),
        store("6", "0", component=1),
    )
    result = run(shader_of(text, "COMPUTE", "workgroup_size: 8, 1, 1\n"))
    assert result.outputs[OutputKey(VAR0, 0)].poison.all()
    assert result.outputs[OutputKey(VAR0, 1)].bits.tolist() == [[1]]
    assert result.memory == {}


LOCAL_STORE = f"                   @store_shared (%4, %5) (base=0, {STORE[1:]}"


@pytest.mark.parametrize(
    ("stage", "is_visible"),
    [("VERTEX", True), ("TESS_EVAL", True), ("FRAGMENT", False), ("COMPUTE", False), ("MESH", False)],
)
def test_local_memory_holds_the_outputs_of_merged_stages(stage: str, is_visible: bool) -> None:
    lines = ("    32     %5 = ishl %4, %3", LOCAL_STORE)
    made = [
        run(shader_of(body(*kept).replace("load_vertex_id_zero_base", "load_subgroup_invocation"), stage))
        for kept in (lines, lines[:1])
    ]
    assert bool(compare_results(*made)) is is_visible


@pytest.mark.parametrize(
    ("stage", "is_input"), [("TESS_CTRL", True), ("GEOMETRY", True), ("VERTEX", False), ("COMPUTE", False)]
)
def test_local_memory_holds_the_inputs_of_the_second_merged_stage(stage: str, is_input: bool) -> None:
    lines = [
        f"    32     %5 = @load_shared (%1 (0x4)) (base=0, {LOAD[1:]}",
        f"                   @store_ssbo (%5, %0 (0x0), %0 (0x0)) {STORE}",
    ]
    text = body(*lines).replace("load_vertex_id_zero_base", "load_subgroup_invocation")
    cells = [cell for key, cell in run(shader_of(text, stage)).memory.items() if key[0] == "ssbo"]
    assert cells
    assert all(cell.poison is not is_input for cell in cells)
