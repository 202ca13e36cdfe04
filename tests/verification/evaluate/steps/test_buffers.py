"""Buffers: undefined addresses, vectors, scratch and shared memory, and how drivers address them."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store, stored
from tests.verification.evaluate.steps.buffer_lines import LOAD, STORE, run_lines


def test_an_undefined_address_gives_undefined_and_spoils_lanes_that_store_there() -> None:
    load = f"    32     %10 = @load_ssbo (%0 (0x0), %6) {LOAD}"
    result = run_lines(load, store("10", "0"))
    assert result.outputs[OutputKey(VAR0, 0)].poison.all()
    assert not result.poisoned.any()
    assert run_lines(f"                @store_ssbo (%0 (0x0), %0 (0x0), %6) {STORE}").poisoned.all()


@pytest.mark.parametrize(
    ("store_at", "is_astray"), [("@store_ssbo (%1, %0, %6)", True), ("@store_scratch (%1, %6)", False)]
)
def test_a_lost_store_may_hit_other_invocations_except_in_scratch(store_at: str, is_astray: bool) -> None:
    result = run_lines(f"                {store_at} (wrmask=x, align_mul=4, align_offset=0)")
    assert result.poisoned.all()
    assert set(result.astray.tolist()) == {is_astray}


def test_each_lane_reads_the_buffer_that_it_names() -> None:
    result = run_lines(
        "    32     %8 = iand %4, %1 (0x1)",
        f"    32     %10 = @load_ssbo (%8, %3 (0x4)) {LOAD}",
        f"    32     %11 = @load_ssbo (%0 (0x0), %3 (0x4)) {LOAD}",
        f"    32     %12 = @load_ssbo (%1 (0x1), %3 (0x4)) {LOAD}",
        *(store(str(10 + number), "0", component=number) for number in range(3)),
    )
    own, first, second = (stored(result, number) for number in range(3))
    assert first[0] != second[0]
    assert own == [(first, second)[lane % 2][lane] for lane in range(8)]


def test_vectors_are_words_in_a_row_and_masks_leave_holes() -> None:
    result = run_lines(
        "    32x4   %10 = vec4 %1, %2, %3, %5",
        f"                @store_ssbo (%10, %0 (0x0), %0 (0x0)) {STORE.replace('=x', '=xzw')}",
    )
    assert {key[2]: cell.bits for key, cell in result.memory.items()} == {0: 1, 2: 4, 3: 0x11223344}


def test_scratch_belongs_to_its_lane_and_shared_memory_to_its_workgroup() -> None:
    scratch = run_lines(
        "                @store_scratch (%4, %0 (0x0)) (align_mul=4, align_offset=0, wrmask=x)",
        "    32     %10 = @load_scratch (%0 (0x0)) (align_mul=4, align_offset=0)",
        store("10", "0"),
    )
    assert stored(scratch) == list(range(8))
    shared = run_lines(
        "    32     %10 = @load_workgroup_index",
        "                @store_shared (%10, %0 (0x0)) (base=8, wrmask=x, align_mul=4, align_offset=0)",
        "    32     %11 = @load_shared (%0 (0x0)) (base=8, align_mul=4, align_offset=0)",
        "    32     %12 = @load_local_invocation_index",
        "    32     %13 = @load_global_invocation_index",
        "    32     %14 = ishl %13, %2 (0x2)",
        f"                @store_ssbo (%11, %0 (0x0), %14) {STORE}",
        stage="COMPUTE",
        head="workgroup_size: 1, 1, 1\n",
    )
    assert {key[2]: cell.bits for key, cell in shared.memory.items()} == {lane: lane for lane in range(8)}


def test_push_constants_and_uniforms_count_from_their_base() -> None:
    for name in ("load_push_constant", "load_uniform"):
        extra = ", dest_type=float32" if name == "load_uniform" else ""
        result = run_lines(
            f"    32     %10 = @{name} (%3 (0x4)) (base=0, range=16{extra})",
            f"    32     %11 = @{name} (%0 (0x0)) (base=4, range=16{extra})",
            f"    32     %12 = @{name} (%0 (0x0)) (base=0, range=16{extra})",
            *(store(f"1{number}", "0", component=number) for number in range(3)),
        )
        assert stored(result, 0) == stored(result, 1) != stored(result, 2)


def test_ir3_adds_the_base_of_shared_memory_in_32_bits() -> None:
    """`ir3_nir_lower_io_offsets` and `nir_opt_offsets` move sums into the base though they overflow."""
    result = run_lines(
        "    32     %10 = load_const (0xfffffff8)",
        "                @store_shared_ir3 (%5, %10 (0xfffffff8)) (base=12, align_mul=4, align_offset=0)",
        "    32     %11 = @load_shared_ir3 (%3 (0x4)) (base=0, align_mul=4, align_offset=0)",
        f"                @store_ssbo (%11, %0 (0x0), %0 (0x0)) {STORE}",
        stage="COMPUTE",
        head="workgroup_size: 1, 1, 1\n",
    )
    assert {cell.bits for cell in result.memory.values()} == {0x11223344}


@pytest.mark.parametrize("name", ["load_push_constant", "load_kernel_input", "load_constant"])
def test_an_address_outside_of_constants_has_no_more_than_32_bits(name: str) -> None:
    """`nir_opt_load_store_vectorize` makes one load of two, although one offset may have overflowed."""
    result = run_lines(
        "    32     %10 = load_const (0xfffffffc)",
        f"    32     %11 = @{name} (%10 (0xfffffffc)) (base=4, range=16)",
        f"    32x3   %12 = @{name} (%10 (0xfffffffc)) (base=0, range=16)",
        f"    32     %13 = @{name} (%0 (0x0)) (base=0, range=16)",
        "    32     %14 = mov %12.y",
        *(store(f"1{number}", "0", component=number - 1) for number in (1, 3, 4)),
    )
    assert stored(result, 0) == stored(result, 2) == stored(result, 3)


ACCESS = "(access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"@load_ssbo (%0, %1) {ACCESS}", f"@load_ssbo_uniform_block_intel (%0, %1) {ACCESS}"),
        # The hardware reads the last source of ir3, in components.
        (f"@load_ssbo (%0, %1) {ACCESS}", f"@load_ssbo_ir3 (%0, %0, %4) {ACCESS}"),
        (f"@load_ssbo (%0, %1) {ACCESS}", f"@load_ssbo_ir3 (%0, %0, %0) (base=2, {ACCESS[1:-1]})"),
        (
            "@load_ubo_vec4 (%0, %4) (access=none, base=1, component=1)",
            f"@load_ubo (%0, %5) ({ACCESS[1:-1]}, range_base=0, range=64)",
        ),
        # The sum of a number of a vec4 and the base has 32 bits.
        (
            "@load_ubo_vec4 (%0, %6) (access=none, base=5, component=1)",
            "@load_ubo_vec4 (%0, %4) (access=none, base=1, component=1)",
        ),
        (
            f"@load_ubo (%0, %1) ({ACCESS[1:-1]}, range_base=0, range=64)",
            f"@load_ubo_uniform_block_intel (%0, %1) ({ACCESS[1:-1]}, range_base=0, range=64)",
        ),
    ],
)
def test_loads_of_drivers_see_the_same_memory(one: str, other: str) -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000008)
    32     %4 = load_const (0x00000002)
    32     %5 = load_const (0x00000034)
    32     %6 = load_const (0xfffffffe)
    32     %2 = {one}
    32     %3 = {other}
{store("2", "0")}
{store("3", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(text))
    assert stored(result) == stored(result, 1)


def test_an_offset_in_larger_units_and_a_base() -> None:
    result = run_lines(
        f"                @store_ssbo (%5, %0 (0x0), %3 (0x4)) {STORE}",
        "    32     %10 = @load_ssbo (%0, %1 (0x1))"
        " (access=none, align_mul=4, align_offset=0, offset_shift=2)",
        "    32     %11 = @load_ssbo_uniform_block_intel (%0, %1 (0x1))"
        " (access=none, align_mul=4, align_offset=0, base=3)",
        store("10", "0"),
        store("11", "0", component=1),
    )
    assert stored(result) == stored(result, 1) == [0x11223344] * 8


def test_scalar_memory_is_the_memory_that_others_load() -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    64     %1 = load_const (0x0000000000001000)
    32     %2 = load_const (0x00000008)
    64     %3 = load_const (0x0000000000001008)
    32     %4 = @load_smem_amd (%1 (0x1000), %2 (0x8)) (align_mul=4, align_offset=0)
    32     %5 = @load_global (%3 (0x1008)) (access=none, align_mul=4, align_offset=0)
    32     %6 = @load_global (%1 (0x1000)) (access=none, align_mul=4, align_offset=0)
{store("4", "0")}
{store("5", "0", component=1)}
{store("6", "0", component=2)}
                // succs: b99"""
    result = run(shader_of(text))
    assert stored(result) == stored(result, 1)
    assert stored(result) != stored(result, 2)


@pytest.mark.parametrize(
    ("offset", "indices"),
    [("%3", "base=0, offset_shift=0"), ("%2", "base=4, offset_shift=0"), ("%4", "base=8, offset_shift=2")],
)
def test_a_global_offset_is_shifted_and_added(offset: str, indices: str) -> None:
    """All are the word at 12 bytes behind the address."""
    memory = "access=none, align_mul=4, align_offset=0"
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    64     %1 = load_const (0x0000000000001000)
    32     %2 = load_const (0x00000008)
    32     %3 = load_const (0x0000000c)
    32     %4 = load_const (0x00000001)
           @store_global_offset (%2, %1, {offset}) ({indices}, wrmask=x, {memory})
    64     %6 = load_const (0x000000000000100c)
    32     %7 = @load_global (%6 (0x100c)) (access=none, align_mul=4, align_offset=0)
    32     %8 = @load_global_offset (%1, {offset}) ({indices}, {memory}, range=4)
{store("7", "0")}
{store("8", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(text))
    assert stored(result) == stored(result, 1) == [8] * 8
