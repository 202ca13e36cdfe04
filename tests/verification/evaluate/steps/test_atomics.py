"""Atomics on words, pairs of words and shared variables."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader
from tests.passes.shader_text import store as store_output
from tests.verification.evaluate.shader_text import run, shader_of, store, stored
from tests.verification.evaluate.steps.buffer_lines import HEAD, STORE, run_lines


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


def test_atomics_of_ir3_have_their_offset_in_words_behind_the_data() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %3 (0x4)) {STORE}",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %10 = @ssbo_atomic_ir3 (%0 (0x0), %0, %4, %1 (0x1)) (access=none, atomic_op=umax)",
        "    32     %11 = @ssbo_atomic_swap_ir3 (%0 (0x0), %3, %0 (0x0), %5, %0 (0x0))"
        " (access=none, atomic_op=cmpxchg)",
    )
    assert [result.memory["ssbo", 0, word].bits for word in (1, 0)] == [7, 0x11223344]


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


def counting(*lines: str) -> Shader:
    """A fragment shader that stores `%3`, made of a counter of GLSL by the lines."""
    return shader(
        "FRAGMENT",
        "decl_var uniform INTERP_MODE_NONE none highp atomic_uint[2] hits (~0, 0, 0)",
        ZERO,
        "32    %1 = deref_var &hits (uniform atomic_uint[2])",
        "32    %2 = deref_array &(*%1)[1] (uniform atomic_uint)  // &hits[1]",
        *lines,
        "32    %9 = u2f32 %3",
        store_output("COLOR", "%9").replace("VARYING_SLOT", "FRAG_RESULT"),
    )


INCREMENT = "32    %3 = @atomic_counter_inc_deref (%2)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((INCREMENT,), (INCREMENT,)),
        # A read that nobody uses may go.
        (("32    %4 = @atomic_counter_read_deref (%2)", INCREMENT), (INCREMENT,)),
        ((INCREMENT,), ("32    %4 = load_const (0x00000001)", "32 %3 = @atomic_counter_add_deref (%2, %4)")),
        (
            ("32    %3 = @atomic_counter_pre_dec_deref (%2)",),
            (
                "32    %4 = load_const (0xffffffff)",
                "32    %5 = @atomic_counter_post_dec_deref (%2)",
                "32    %3 = iadd %5, %4",
            ),
        ),
    ],
)
def test_counters_of_glsl(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert isinstance(verify_shaders(counting(*before), counting(*after)), Equivalent)


@pytest.mark.parametrize("name", ["pre_dec", "post_dec", "read"])
def test_a_counter_that_is_left_otherwise_is_different(name: str) -> None:
    # The result is not used, the counter is memory.
    constant = "32    %3 = load_const (0x00000007)"
    before = counting("32    %4 = @atomic_counter_inc_deref (%2)", constant)
    after = counting(f"32    %4 = @atomic_counter_{name}_deref (%2)", constant)
    assert isinstance(verify_shaders(before, after), Different)
