"""Buffers: partial words, misalignment, undefined addresses, scratch and shared memory, atomics, descriptors."""  # noqa: E501

from __future__ import annotations

import pytest

from nirls.ir.evaluate.result import OutputKey
from tests.ir.evaluate.shader_text import VAR0, run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32     %3 = load_const (0x00000004)
    32     %4 = @load_vertex_id_zero_base
    32     %5 = load_const (0x11223344)
    32     %6 = undefined
    32     %7 = ishl %4, %2 (0x2)
"""
LOAD = "(access=none, align_mul=1, align_offset=0)"
STORE = "(wrmask=x, access=none, align_mul=1, align_offset=0)"


def run_lines(*lines: str, stage: str = "VERTEX", head: str = ""):  # type: ignore[no-untyped-def]
    return run(shader_of("\n".join([HEAD, *lines, "                // succs: b99"]), stage, head))


def test_a_misaligned_word_spreads_over_two() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %3 (0x4)) {STORE}",
        f"                @store_ssbo (%5, %0 (0x0), %1 (0x1)) {STORE}",
        f"    32     %10 = @load_ssbo (%0 (0x0), %1 (0x1)) {LOAD}",
        f"    8      %11 = @load_ssbo (%0 (0x0), %2 (0x2)) {LOAD}",
        "    32     %12 = u2u32 %11",
        store("10", "0"),
        store("12", "0", component=1),
    )
    assert stored(result) == [0x11223344] * 8
    assert stored(result, 1) == [0x33] * 8
    assert result.memory["ssbo", 0, 0].bits == 0x22334400
    assert result.memory["ssbo", 0, 1].bits == 0x11


def test_a_misaligned_double_spreads_over_three_words() -> None:
    result = run_lines(
        "    64     %8 = load_const (0x1122334455667788)",
        "    32     %9 = load_const (0x00000008)",
        *(f"                @store_ssbo (%0 (0x0), %0 (0x0), %{at}) {STORE}" for at in (0, 3, 9)),
        f"                @store_ssbo (%8, %0 (0x0), %1 (0x1)) {STORE}",
        f"    64     %10 = @load_ssbo (%0 (0x0), %1 (0x1)) {LOAD}",
        "    1      %11 = ieq %10, %8",
        "    32     %12 = b2i32 %11",
        store("12", "0"),
    )
    assert stored(result) == [1] * 8
    words = [result.memory["ssbo", 0, word].bits for word in range(3)]
    assert words == [0x66778800, 0x22334455, 0x11]


def test_a_load_of_an_undefined_byte_is_undefined_and_of_those_beside_it_is_not() -> None:
    result = run_lines(
        "    8      %10 = undefined",
        f"                @store_ssbo (%10, %0 (0x0), %1 (0x1)) {STORE}",
        f"    32     %11 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    32     %12 = @load_ssbo (%0 (0x0), %3 (0x4)) {LOAD}",
        f"    16     %13 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    16     %14 = @load_ssbo (%0 (0x0), %2 (0x2)) {LOAD}",
        "    32     %15 = u2u32 %13",
        "    32     %16 = u2u32 %14",
        *(store(number, "0", component=at) for at, number in enumerate(("11", "12", "15", "16"))),
    )
    undefined = [result.outputs[OutputKey(VAR0, at)].poison for at in range(4)]
    assert [marks.all() for marks in undefined] == [marks.any() for marks in undefined]
    assert [marks.all() for marks in undefined] == [True, False, True, False]
    cell = result.memory["ssbo", 0, 0]
    assert (cell.poison, cell.holes) == (False, 0b10)


def test_bytes_that_were_never_stored_are_undefined() -> None:
    result = run_lines(
        f"                @store_scratch (%4, %0 (0x0)) {STORE.replace('access=none, ', '')}",
        "    8      %10 = u2u8 %4",
        f"                @store_scratch (%10, %3 (0x4)) {STORE.replace('access=none, ', '')}",
        f"    8      %11 = @load_scratch (%3 (0x4)) {LOAD.replace('access=none, ', '')}",
        f"    16     %12 = @load_scratch (%3 (0x4)) {LOAD.replace('access=none, ', '')}",
        f"    16     %13 = @load_scratch (%2 (0x2)) {LOAD.replace('access=none, ', '')}",
        *(f"    32     %{number + 3} = u2u32 %{number}" for number in (11, 12, 13)),
        *(store(str(number), "0", component=number - 14) for number in (14, 15, 16)),
    )
    assert [result.outputs[OutputKey(VAR0, at)].poison.all() for at in range(3)] == [False, True, False]


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


@pytest.mark.parametrize(
    ("operation", "data", "final"),
    [
        ("iadd", "%4", 28),
        ("umax", "%4", 7),
        ("ior", "%4", 7),
        ("xchg", "%4", 7),
        # From 0, eight times, with 4 as the greatest number.
        ("inc_wrap", "%3 (0x4)", 3),
        ("dec_wrap", "%3 (0x4)", 2),
    ],
)
def test_atomics_on_a_word(operation: str, data: str, final: int) -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"    32     %10 = @ssbo_atomic (%0 (0x0), %0 (0x0), {data}) (access=none, atomic_op={operation})",
    )
    assert result.memory["ssbo", 0, 0].bits == final


def test_compare_and_swap_lets_one_lane_win() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %9 = iadd %4, %1 (0x1)",
        "    32     %10 = @ssbo_atomic_swap (%0 (0x0), %0 (0x0), %0 (0x0), %9) (access=none, atomic_op=cmpxchg)",  # noqa: E501
        store("10", "0"),
    )
    assert stored(result) == [0] + [1] * 7


@pytest.mark.parametrize("top", ["00000000", "80000000"])
def test_an_atomic_of_64_bits_carries(top: str) -> None:
    result = run_lines(
        f"    64     %10 = load_const (0x{top}ffffffff)",
        "    64     %11 = load_const (0x0000000000000001)",
        f"                @store_ssbo (%10, %0 (0x0), %0 (0x0)) {STORE}",
        "    64     %12 = @ssbo_atomic (%0 (0x0), %0 (0x0), %11) (access=none, atomic_op=iadd)",
    )
    assert (result.memory["ssbo", 0, 0].bits, result.memory["ssbo", 0, 1].bits) == (7, int(top, 16) + 1)


@pytest.mark.parametrize(
    ("operation", "data", "is_fragile", "has_error"),
    [
        ("iadd", "%8", True, False),
        ("iadd", "%4", False, False),
        ("fadd", "%8", False, True),
        ("xchg", "%8", False, True),
        ("xchg", "%4", False, False),
    ],
)
def test_rounding_of_what_an_atomic_stores(
    operation: str, data: str, is_fragile: bool, has_error: bool
) -> None:
    """A float whose bits are added as an integer may be anything, otherwise the bound stays."""
    lines = [
        "    32     %3 = load_const (0x40000000 = 2.000000)",
        "    32     %8 = fsqrt %3",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"    32     %10 = @ssbo_atomic (%0, %0, {data}) (access=none, atomic_op={operation})",
    ]
    head = HEAD.replace("    32     %3 = load_const (0x00000004)\n", "")
    shader = shader_of("\n".join([head, *lines, "                // succs: b99"]))
    cell = run(shader, lanes=1, track_error=True).memory["ssbo", 0, 0]
    assert (cell.fragile, cell.error > 0) == (is_fragile, has_error)


def test_only_the_bytes_that_a_load_reads_beyond_a_word_count() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %3 (0x4)) {STORE}",
        "    8      %10 = undefined",
        "    32     %11 = iadd %3, %1",
        f"                @store_ssbo (%10, %0 (0x0), %11) {STORE}",
        *(f"    32     %2{at} = @load_ssbo (%0 (0x0), %{at}) {LOAD}" for at in (1, 2)),
        *(store(f"2{at}", "0", component=at) for at in (1, 2)),
    )
    assert [result.outputs[OutputKey(VAR0, at)].poison.all() for at in (1, 2)] == [False, True]


@pytest.mark.parametrize("type_name", ["uint[2]", "uvec2"])
def test_atomics_on_a_shared_variable_take_turns_in_each_workgroup(type_name: str) -> None:
    """In a workgroup of four, lanes 0 and 2 add 5 to one counter, 1 and 3 to the other one."""
    head = f"workgroup_size: 4, 1, 1\ndecl_var shared INTERP_MODE_NONE none {type_name} s\n"
    result = run_lines(
        "    32     %10 = @load_local_invocation_index",
        "    32     %11 = iand %10, %1 (0x1)",
        f"    32     %12 = deref_var &s (shared {type_name})",
        "    32     %13 = deref_array &(*%12)[%11] (shared uint)",
        "                @store_deref (%13, %0 (0x0)) (wrmask=x, access=none)",
        "                @barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)",  # noqa: E501
        "    32     %14 = load_const (0x00000005)",
        "    32     %15 = @deref_atomic (%13, %14) (access=none, atomic_op=iadd)",
        "    32     %16 = @deref_atomic (%13, %14) (access=none, atomic_op=iadd)",
        "    32     %17 = @load_global_invocation_index",
        "    32     %18 = ishl %17, %2 (0x2)",
        f"                @store_ssbo (%15, %0 (0x0), %18) {STORE}",
        f"                @store_ssbo (%16, %1 (0x1), %18) {STORE}",
        stage="COMPUTE",
        head=head,
    )
    found = [[result.memory["ssbo", buffer, lane].bits for lane in range(8)] for buffer in (0, 1)]
    assert found == [[0, 0, 5, 5] * 2, [10, 10, 15, 15] * 2]
    assert not any(cell.poison for cell in result.memory.values())


def test_descriptors_tell_bindings_and_elements_apart() -> None:
    index = "@vulkan_resource_index ({}) (desc_set={}, binding={}, desc_type=SSBO)"
    lines = []
    places = (("%0 (0x0)", 0, 0), ("%0 (0x0)", 0, 1), ("%1 (0x1)", 0, 0), ("%0 (0x0)", 1, 0))
    for number, place in enumerate(places):
        lines += [
            f"    32x2   %1{number} = {index.format(*place)}",
            f"    32x2   %2{number} = @load_vulkan_descriptor (%1{number}) (desc_type=SSBO)",
            f"    32     %3{number} = mov %2{number}.x",
            store(f"3{number}", "0", component=number),
        ]
    result = run_lines(*lines)
    assert len({stored(result, number)[0] for number in range(4)}) == 4


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


ACCESS = "(access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"@load_ssbo (%0, %1) {ACCESS}", f"@load_ssbo_uniform_block_intel (%0, %1) {ACCESS}"),
        (f"@load_ssbo (%0, %1) {ACCESS}", f"@load_ssbo_ir3 (%0, %1, %0) {ACCESS}"),
        (
            "@load_ubo_vec4 (%0, %4) (access=none, base=1, component=1)",
            f"@load_ubo (%0, %5) ({ACCESS[1:-1]}, range_base=0, range=64)",
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
