"""Upper bounds of offsets, against the greatest value that the operations can give."""

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
    return UnsignedBounds(made).upper_bound(value)


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
def test_bounds(line: str, expected: int) -> None:
    assert bound(line) == expected


def test_components_and_selections() -> None:
    assert bound("32x2  %5 = vec2 %3, %1", "32    %6 = mov %5.y") == 3
    assert bound("1     %5 = ieq %4, %1", "32    %6 = bcsel %5, %3, %2") == 255
    assert bound("32x3  %5 = @load_local_invocation_id", "32    %6 = mov %5.y") == 3


def test_workgroup_of_unknown_size_bounds_nothing() -> None:
    assert bound("32    %5 = mov %3", header=()) == 0xFFFFFFFF
