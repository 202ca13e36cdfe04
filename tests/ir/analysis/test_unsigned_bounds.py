"""Bounds of offsets and indices, against the values that the operations can give."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.unsigned_bounds import UnsignedBounds
from tests.passes.shader_text import shader

GROUP = ("workgroup_size: 8, 4, 1",)


def bound(*lines: str, header: tuple[str, ...] = GROUP) -> int:
    """The bound of the value that the last line defines, after some constants and the local index."""
    made = shader(
        "TASK",
        "32    %0 = load_const (0x00000000)",
        "32    %1 = load_const (0x00000003)",
        "32    %2 = load_const (0x000000ff)",
        "32    %3 = @load_local_invocation_index",
        "32    %4 = @load_workgroup_index",
        *lines,
        header=header,
    )
    impl = made.entrypoint
    assert impl is not None
    value = [instr.def_ for instr in impl.instrs() if instr.def_ is not None][-1]
    return UnsignedBounds(made).of(value)[1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32    %5 = mov %3", 31),
        ("32    %5 = ishl %3, %1", 31 * 8),
        ("32    %5 = imul %3, %1", 93),
        ("32    %5 = iadd %3, %2", 286),
        ("32    %5 = iand %4, %2", 255),
        ("32    %5 = ushr %2, %1", 31),
        ("32    %5 = umod %4, %1", 2),
        ("32    %5 = umin %4, %1", 3),
        ("32    %5 = isub %3, %1", 0xFFFFFFFF),
        ("32    %5 = iadd %4, %1", 0xFFFFFFFF),
        ("32    %5 = ishl %3, %3", 0xFFFFFFFF),
    ],
)
def test_upper_bounds(line: str, expected: int) -> None:
    assert bound(line) == expected


def test_components_and_selections() -> None:
    assert bound("32x2  %5 = vec2 %3, %1", "32    %6 = mov %5.y") == 3
    assert bound("1     %5 = ieq %4, %1", "32    %6 = bcsel %5, %3, %2") == 255
    assert bound("32x3  %5 = @load_local_invocation_id", "32    %6 = mov %5.y") == 3


def test_workgroup_of_unknown_size_bounds_nothing() -> None:
    assert bound("32    %5 = mov %3", header=()) == 0xFFFFFFFF


HEAD = (
    "32 %0 = load_const (0x00000003)",
    "32 %1 = load_const (0x00000001)",
    "32 %2 = @load_sample_id",
    "32 %3 = umin %2, %0",
    "1 %4 = ilt %2, %0",
    "32 %5 = load_const (0xffffffff)",
    # Shifts by no bits: the count is taken modulo the number of bits.
    "32 %6 = load_const (0x00000020)",
    "32 %7 = bcsel %4, %1, %6",
)
ALL = (0, 0xFFFFFFFF)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("32 %9 = mov %0", (3, 3)),
        ("32 %9 = mov %2", ALL),
        ("32 %9 = umin %2, %0", (0, 3)),
        ("32 %9 = umax %3, %1", (1, 3)),
        ("32 %9 = iadd %3, %1", (1, 4)),
        ("32 %9 = iadd %3, %5", ALL),
        ("32 %9 = iand %2, %0", (0, 3)),
        ("32 %9 = imul %3, %0", (0, 9)),
        ("32 %9 = ushr %3, %1", (0, 1)),
        ("32 %9 = ushr %0, %3", (0, 3)),
        ("32 %9 = ushr %3, %6", (0, 3)),
        ("32 %9 = ushr %0, %7", (0, 3)),
        ("32 %9 = ushr %0, %2", (0, 3)),
        ("32 %9 = umod %2, %0", (0, 2)),
        ("32 %9 = bcsel %4, %3, %1", (0, 3)),
        ("32 %9 = b2i32 %4", (0, 1)),
        ("32 %9 = imin %2, %0", ALL),
    ],
)
def test_bounds(text: str, bounds: tuple[int, int]) -> None:
    parsed = shader("FRAGMENT", *HEAD, text)
    (impl,) = parsed.impls()
    value = list(impl.defs())[-1]
    assert UnsignedBounds(parsed).of(value) == bounds


def test_a_long_chain_is_given_up() -> None:
    chain = [f"32 %{number + 1} = iadd %{number}, %{number}" for number in range(5, 4000)]
    parsed = shader("FRAGMENT", *HEAD, *chain)
    (impl,) = parsed.impls()
    assert UnsignedBounds(parsed).of(list(impl.defs())[-1]) == ALL


@pytest.mark.parametrize("text", ["32 %9 = mov %8.z", "32x2 %9 = iadd %8.xw, %8.yz"])
def test_components_that_are_not_there_may_be_anything(text: str) -> None:
    parsed = shader("FRAGMENT", *HEAD, "32x2 %8 = vec2 %0, %1", text)
    (impl,) = parsed.impls()
    value = list(impl.defs())[-1]
    assert UnsignedBounds(parsed).of(value, value.num_components - 1) == ALL
