"""Subgroup operations against plain Python over the lanes of a subgroup."""

from __future__ import annotations

import pytest

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.result import OutputKey
from tests.ir.evaluate.shader_text import VAR0, shader_of, store

SIZE, LANES = 4, 8


def outcome(lines: str, result: str = "9") -> tuple[list[int], list[bool]]:
    """The value of each lane and whether it is undefined; lanes start with their number squared in %3."""
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
    32     %3 = imul %2, %2
    {lines}
{store(result, "0")}
                // succs: b99"""
    machine = Machine(shader_of(text))
    plane = machine.run(Environment(1, subgroup_size=SIZE), lanes=LANES).outputs[OutputKey(VAR0, 0)]
    return [int(bits) for bits in plane.bits[:, 0]], plane.poison[:, 0].tolist()


def group(lane: int) -> range:
    return range(lane // SIZE * SIZE, lane // SIZE * SIZE + SIZE)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@reduce (%3) (reduction_op=iadd, cluster_size=0)", lambda n: sum(m * m for m in group(n))),
        ("@reduce (%3) (reduction_op=umax, cluster_size=2)", lambda n: (n | 1) ** 2),
        ("@inclusive_scan (%3) (reduction_op=iadd)", lambda n: sum(m * m for m in group(n) if m <= n)),
        ("@exclusive_scan (%3) (reduction_op=iadd)", lambda n: sum(m * m for m in group(n) if m < n)),
        (
            "@exclusive_scan (%3) (reduction_op=imax)",
            lambda n: max((m * m for m in group(n) if m < n), default=1 << 31),
        ),
        (
            "@exclusive_scan (%3) (reduction_op=imin)",
            lambda n: min((m * m for m in group(n) if m < n), default=(1 << 31) - 1),
        ),
        ("@read_first_invocation (%3)", lambda n: group(n)[0] ** 2),
        ("@shuffle_xor (%3, %1 (0x1))", lambda n: (n ^ 1) ** 2),
        ("@read_invocation (%3, %1 (0x1))", lambda n: group(n)[1] ** 2),
        ("@quad_swap_vertical (%3)", lambda n: (n ^ 2) ** 2),
        ("@quad_broadcast (%3, %1 (0x1))", lambda n: (n & ~3 | 1) ** 2),
    ],
)
def test_operation(line: str, expected) -> None:  # type: ignore[no-untyped-def]
    values, poison = outcome(f"32     %9 = {line}")
    assert not any(poison)
    assert values == [expected(lane) for lane in range(LANES)]


def test_a_lane_beyond_the_subgroup_is_undefined() -> None:
    values, poison = outcome("32     %9 = @shuffle_up (%3, %1 (0x1))")
    assert poison == [lane % SIZE == 0 for lane in range(LANES)]
    assert [value for lane, value in enumerate(values) if lane % SIZE] == [
        (lane - 1) ** 2 for lane in range(LANES) if lane % SIZE
    ]


def test_ballot_counts_only_its_own_subgroup() -> None:
    lines = "1      %8 = ilt %2, %4 (0x5)\n    32     %9 = @ballot (%8)"
    values, poison = outcome("32     %4 = load_const (0x00000005)\n    " + lines)
    assert not any(poison)
    assert values == [0b1111] * 4 + [0b0001] * 4
