"""Rows with the sources, indices and access flags of instructions put in."""

from __future__ import annotations

import pytest

from nirls.ir.effects import Access, effects_of
from nirls.ir.effects.effects import ALL_MEMORIES, memories_of_modes
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.values import Register
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
        ("@store_shared (%2, %0) (base=0, wrmask=xy, align_mul=4, align_offset=0)", [(16, 8)]),
        ("64 %9 = @load_shared (%0) (base=0, align_mul=8, align_offset=0)", [(16, 8)]),
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
    assert list(access.range.start.factors.values()) == [1]
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
    assert access.by_modes is ("memory_modes" in line)


def test_modes_that_are_not_known_may_be_any_memory() -> None:
    assert memories_of_modes(("mem_ssbo", "shader_out")) == {"ssbo", "output"}
    assert memories_of_modes(("mem_ssbo", "memory_of_2030")) == ALL_MEMORIES
    assert memories_of_modes(()) == ALL_MEMORIES


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
        "32x4 %9 = (float32)tg4 %2 (coord), implicit lod, 0 (gather_component), 0 (texture), 0 (sampler)",
    ):
        found = effects_of(instr(line))
        assert (found.exchange, found.needs_helpers) == ("quad", True), line
        assert not any(access.synchronizes for access in found.accesses), line
    for line in (
        "32 %9 = fadd %0, %0",
        "32x4 %9 = (float32)txl %2 (coord), %0 (lod), 0 (texture), 0 (sampler)",
    ):
        assert not effects_of(instr(line)).needs_helpers, line


def test_values_that_are_exchanged_without_an_access() -> None:
    found = effects_of(instr("32 %9 = @first_invocation"))
    assert (found.accesses, found.exchange, found.crosses_lanes) == ((), "subgroup", True)


def test_what_ends_the_invocation_accesses_nothing() -> None:
    found = effects_of(IntrinsicInstr("terminate", [], {}))
    assert (found.accesses, found.exchange, "ends" in found.words) == ((), "", True)


@pytest.mark.parametrize(
    ("memory", "reads", "writes"),
    [("image", False, True), ("framebuffer", True, False), ("shared", False, False)],
)
def test_which_memory_is_read_and_which_is_written(memory: str, reads: bool, writes: bool) -> None:
    found = effects_of(IntrinsicInstr("image_store_block_agx", [], {}))
    memories = frozenset((memory,))
    assert (found.reads(memories), found.writes(memories)) == (reads, writes)
    assert found.touches(memory) is (reads or writes)


@pytest.mark.parametrize("name", ["load_shared", "load_ssbo"])
def test_an_intrinsic_without_operands_is_anywhere(name: str) -> None:
    (access,) = effects_of(IntrinsicInstr(name, [], {})).accesses
    assert (access.range, access.resource) == (None, None)


def test_the_value_of_a_register_has_a_size_and_an_offset_in_one_is_anywhere() -> None:
    store = instr("@store_shared (%2, %0) (base=0, wrmask=xy, align_mul=4, align_offset=0)")
    assert isinstance(store, IntrinsicInstr)
    store.sources[0].set_reg(Register(0, 2, 16))
    (access,) = effects_of(store).accesses
    assert access.range is not None
    assert (access.range.start.constant, access.range.size) == (16, 4)
    store.sources[1].set_reg(Register(0, 1, 32))
    (access,) = effects_of(store).accesses
    assert access.range is None


def test_an_unknown_intrinsic() -> None:
    found = effects_of(instr("@intrinsic_of_2030 (%0)"))
    assert found.is_everything
    assert found.reads()
    assert found.writes()
    assert found.touches("shared")
