"""Rows with the sources, indices and access flags of instructions put in."""

from __future__ import annotations

import pytest

from nirls.ir.effects import Access, effects_of
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from tests.passes.expectation import parse_body

HEAD = """
block b0:  // preds:
32 %0 = load_const (0x00000010)
32 %1 = @load_local_invocation_index
32x2 %2 = vec2 %0, %1
32 %3 = deref_var &v (ssbo uint)
"""
VARIABLE = "decl_var ssbo INTERP_MODE_NONE none uint v (~0, 0, 0)"


def instr(line: str) -> Instr:
    impl = parse_body(f"{HEAD}{line}\nblock b1:\n", "COMPUTE", VARIABLE).entrypoint
    assert impl is not None
    return list(impl.instrs())[-1]


def accesses(line: str) -> tuple[Access, ...]:
    return effects_of(instr(line)).accesses


@pytest.mark.parametrize(
    ("line", "ranges"),
    [
        ("32x2 %9 = @load_shared (%0) (base=4, align_mul=4, align_offset=0)", [(20, 8)]),
        ("@store_shared (%2, %0) (base=0, wrmask=x, align_mul=4, align_offset=0)", [(16, 4)]),
        ("32x2 %9 = @load_shared2_amd (%0) (offset0=1, offset1=2, st64=0)", [(20, 4), (24, 4)]),
        ("@store_shared2_amd (%2, %0) (offset0=0, offset1=1, st64=1)", [(16, 4), (272, 4)]),
        ("32 %9 = @shared_append_amd () (base=12)", [(12, 4)]),
        ("32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", [(16, 4)]),
        (
            "32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0, offset_shift=2)",
            [(64, 4)],
        ),
        ("32 %9 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)", [(16, 4)]),
    ],
)
def test_constant_ranges(line: str, ranges: list[tuple[int, int]]) -> None:
    found = [access.range for access in accesses(line)]
    assert [(one.start.constant, one.size) for one in found if one is not None] == ranges
    assert all(one is not None and one.is_constant for one in found)


def test_a_range_that_goes_by_a_value() -> None:
    (access,) = accesses("32 %9 = @load_shared (%1) (base=4, align_mul=4, align_offset=0)")
    assert access.range is not None
    assert access.range.start.constant == 4
    assert len(access.range.start.factors) == 1
    assert not access.range.is_constant


@pytest.mark.parametrize(
    ("line", "memories", "reads", "writes"),
    [
        ("32 %9 = @load_deref (%3) (access=none)", {"ssbo"}, True, False),
        ("@store_deref (%3, %0) (wrmask=x, access=none)", {"ssbo"}, False, True),
        ("32 %9 = @deref_atomic (%3, %0) (access=none, atomic_op=iadd)", {"ssbo"}, True, True),
        (
            "32 %9 = @load_buffer_amd (%4, %0, %0, %0) (base=0, memory_modes=shader_out, access=none)",
            {"output"},
            True,
            False,
        ),
    ],
)
def test_memory_of_modes(line: str, memories: set[str], reads: bool, writes: bool) -> None:
    (access,) = accesses(f"32x4 %4 = vec4 %0, %0, %0, %0\n{line}")
    assert (access.memories, access.reads, access.writes) == (memories, reads, writes)


def test_flags_say_what_others_may_wait_for() -> None:
    plain, coherent, atomic = (
        accesses(line)[0]
        for line in (
            "32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)",
            "32 %9 = @load_ssbo (%0, %0) (access=coherent, align_mul=4, align_offset=0)",
            "32 %9 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)",
        )
    )
    assert (plain.synchronizes, coherent.synchronizes, atomic.synchronizes) == (False, True, True)


def test_quads_and_helpers() -> None:
    for line in (
        "32 %9 = @ddx (%0)",
        "32 %9 = fddx %0",
        "32x4 %9 = (float32)tex %2 (coord), 0 (texture), 0 (sampler)",
    ):
        found = effects_of(instr(line))
        assert (found.exchange, found.needs_helpers) == ("quad", True), line
    assert not effects_of(instr("32 %9 = fadd %0, %0")).needs_helpers


def test_values_that_are_exchanged_without_an_access() -> None:
    found = effects_of(instr("32 %9 = @first_invocation"))
    assert (found.accesses, found.exchange, found.crosses_lanes) == ((), "subgroup", True)


def test_a_load_reads_only_its_memory() -> None:
    found = effects_of(instr("32 %9 = @load_deref (%3) (access=none)"))
    assert found.reads(frozenset(("ssbo", "shared")))
    assert not found.reads(frozenset(("shared",)))


def test_an_intrinsic_without_operands_is_anywhere() -> None:
    (access,) = effects_of(IntrinsicInstr("load_shared", [], {})).accesses
    assert access.range is None


def test_an_unknown_intrinsic() -> None:
    found = effects_of(instr("@intrinsic_of_2030 (%0)"))
    assert found.is_everything
    assert found.reads()
    assert found.writes()
    assert found.touches("shared")
