"""Intrinsics of drivers that are known by their effects alone."""

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict
from nirls.verification.verify_shaders import verify_shaders

HEAD = """shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    64 %1 = load_const (0x0000000000000000)
    1  %2 = load_const (true)
    32 %3 = @ipa_nv (%0, %0) (base=124, flags=1)
    32 %4 = @ipa_nv (%0, %0) (base=128, flags=0)
    64 %5 = u2u64 %3
"""
MEMORY = "(base=0, access=none, align_mul=4, align_offset=0)"
STORE = f"    @store_global_nv (%4, %5, %1) {MEMORY}\n"
OTHER_STORE = f"    @store_global_nv (%3, %5, %1) {MEMORY}\n"
LOAD = f"    32 %6 = @load_global_nv (%5, %1, %2) {MEMORY}\n"
OUT = "    @fs_out_nv (%6) (base=0)\n    @copy_fs_outputs_nv\n"
END = "    block b1:\n}\n"


def compared(before: str, after: str) -> Verdict:
    shaders = [parse_dump(f"{HEAD}{body}{END}".encode()) for body in (before, after)]
    assert not any(shader.unreadable for shader in shaders)
    return verify_shaders(*shaders)


def test_the_same_is_equivalent() -> None:
    assert isinstance(compared(STORE + LOAD + OUT, STORE + LOAD + OUT), Equivalent)


@pytest.mark.parametrize(
    "after",
    [
        STORE + LOAD,
        LOAD + OUT,
        LOAD + STORE + OUT,
        STORE + OTHER_STORE + LOAD + OUT,
        STORE.replace("base=0", "base=4") + LOAD + OUT,
        STORE + LOAD + OUT.replace("base=0", "base=4"),
    ],
)
def test_what_is_done_to_memory_counts(after: str) -> None:
    assert isinstance(compared(STORE + LOAD + OUT, after), Different)


def test_a_load_that_nothing_reads_may_go() -> None:
    assert isinstance(
        compared(STORE + LOAD + OUT.replace("%6", "%3"), STORE + OUT.replace("%6", "%3")), Equivalent
    )


def test_a_result_of_unknown_divergence_differs_between_invocations() -> None:
    asked = "    32 %6 = @load_shader_indirect_data_intel (%0) (base=0, range=4)\n"
    is_first = "    32 %8 = @read_first_invocation (%6)\n    1 %9 = ieq %6, %8\n    32 %10 = b2i32 %9\n"
    one = "    32 %10 = load_const (0x00000001)\n"
    out = OUT.replace("%6", "%10")
    assert isinstance(compared(asked + is_first + out, asked + one + out), Different)
    uniform = LOAD.replace("%5", "%1")
    assert isinstance(compared(uniform + is_first + out, uniform + one + out), Equivalent)


@pytest.mark.parametrize(
    "known",
    [
        "    @store_global (%4, %5) (wrmask=x, access=none, align_mul=4, align_offset=0)\n",
        "    32 %8 = @load_global (%5) (access=none, align_mul=4, align_offset=0)\n",
    ],
)
def test_a_store_beside_accesses_of_the_other_kind_is_not_run(known: str) -> None:
    body = known + STORE + OUT.replace("%6", "%3")
    assert isinstance(compared(body, body.replace("@fs_out_nv (%3)", "@fs_out_nv (%4)")), Unchecked)


def test_memory_with_accesses_of_both_kinds_is_not_run() -> None:
    known = "    @store_global (%4, %5) (wrmask=x, access=none, align_mul=4, align_offset=0)\n"
    body = known + LOAD + OUT
    assert isinstance(compared(body, body.replace("@fs_out_nv (%6)", "@fs_out_nv (%3)")), Unchecked)


CALL = "    @store_param_amd (%4) (param_idx=3)\n"
RETURNED = "    32 %6 = @load_return_param_amd (call_idx=0, param_idx=1)\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CALL + RETURNED + OUT, CALL + RETURNED + OUT, Equivalent),
        (CALL + RETURNED + OUT, CALL.replace("%4", "%3") + RETURNED + OUT, Different),
        (CALL + RETURNED + OUT, CALL.replace("=3", "=2") + RETURNED + OUT, Different),
        (CALL + RETURNED + OUT, RETURNED + CALL + OUT, Different),
        (CALL + RETURNED + OUT, RETURNED + OUT, Different),
    ],
)
def test_parameters_of_calls_count(before: str, after: str, expected: type[Verdict]) -> None:
    assert isinstance(compared(before, after), expected)


BARRIER = "    32 %7 = @bar_set_nv\n    @bar_sync_nv (%7, %7)\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BARRIER + LOAD + OUT, BARRIER + LOAD + OUT, Equivalent),
        (BARRIER + LOAD + OUT, LOAD + OUT, Different),
    ],
)
def test_barriers_of_subgroups_count(before: str, after: str, expected: type[Verdict]) -> None:
    assert isinstance(compared(before, after), expected)


def test_a_parameter_of_the_entry_point_is_any_value() -> None:
    first = "    32 %6 = @load_param (param_idx=2)\n"
    assert isinstance(compared(first + OUT, first + OUT), Equivalent)
    assert isinstance(compared(first + OUT, first.replace("=2", "=1") + OUT), Different)


def test_loads_of_two_sizes_are_values_of_their_own_sizes() -> None:
    half = LOAD.replace("32 %6", "16 %8") + "    16 %9 = fmul %8, %8\n    32 %10 = f2f32 %9\n"
    body = LOAD + half + OUT + OUT.replace("%6", "%10").replace("base=0", "base=4")
    assert isinstance(compared(body, body), Equivalent)
