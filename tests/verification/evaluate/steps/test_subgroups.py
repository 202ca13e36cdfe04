"""Subgroup operations against plain Python over the lanes of a subgroup."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import VAR0, shader_of, store

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
        (
            "@exclusive_scan (%3) (reduction_op=umin)",
            lambda n: min((m * m for m in group(n) if m < n), default=(1 << 32) - 1),
        ),
        ("@rotate (%3, %1 (0x1)) (cluster_size=0)", lambda n: group(n)[(n + 1) % SIZE] ** 2),
        ("@rotate (%3, %1 (0x1)) (cluster_size=2)", lambda n: (n ^ 1) ** 2),
        ("@load_subgroup_lt_mask", lambda n: (1 << n % SIZE) - 1),
        ("@load_subgroup_ge_mask", lambda n: (0b1111 << n % SIZE) & 0b1111),
        ("@first_invocation", lambda n: 0),
        ("@last_invocation", lambda n: SIZE - 1),
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


LESS_THAN_5 = "32     %4 = load_const (0x00000005)\n    1      %8 = ilt %2, %4 (0x5)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (f"{LESS_THAN_5}\n    1      %10 = @vote_any (%8)", [True, True]),
        (f"{LESS_THAN_5}\n    1      %10 = @vote_all (%8)", [True, False]),
        # Lanes 0 to 3 agree that they are below 4, as do the others that they are not.
        (
            "32     %4 = load_const (0x00000002)\n    32 %8 = ushr %2, %4\n    1 %10 = @vote_ieq (%8)",
            [True] * 2,
        ),
        ("1      %10 = @vote_ieq (%2)", [False, False]),
        ("32     %4 = u2f32 %0\n    32 %8 = fneg %4\n    1 %10 = @vote_feq (%8)", [True, True]),
        ("32     %4 = u2f32 %2\n    1      %10 = @vote_feq (%4)", [False, False]),
    ],
)
def test_votes(lines: str, expected: list[bool]) -> None:
    values, poison = outcome(f"{lines}\n    32     %9 = b2i32 %10")
    assert not any(poison)
    assert values == [int(vote) for vote in expected for _ in range(SIZE)]


@pytest.mark.parametrize("vote", ["vote_any", "vote_all", "vote_ieq"])
def test_one_undefined_lane_makes_the_vote_of_its_subgroup_undefined(vote: str) -> None:
    _, poison = outcome(
        f"""32     %4 = load_const (0x00000005)
    1      %5 = undefined
    1      %6 = ieq %2, %4 (0x5)
    1      %7 = ilt %2, %4 (0x5)
    1      %8 = bcsel %6, %5, %7
    1      %10 = @{vote} (%8)
    32     %9 = b2i32 %10"""
    )
    assert poison == [False] * SIZE + [True] * SIZE


def test_rounding_of_a_float_reduction_is_bounded() -> None:
    """Hardware adds in any order; each of its results is within the bound."""
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    32     %2 = load_const (0x3dcccccd = 0.100000)
    32     %3 = u2f32 %1
    32     %4 = fmul %3, %2
    32     %5 = @reduce (%4) (reduction_op=OP, cluster_size=0)
{store("5", "0")}
                // succs: b99"""
    options = RunOptions(track_error=True)

    def error(operation: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        machine = Machine(shader_of(text.replace("OP", operation)))
        result = machine.run(Environment(1, subgroup_size=SIZE), lanes=LANES, options=options)
        return result.outputs[OutputKey(VAR0, 0)].error[:, 0]

    ulp = 2.0**-23
    assert (error("fadd") >= ulp).all()
    assert (error("fadd") < 32 * ulp).all()
    # The second subgroup multiplies 0.4 to 0.7, the bound allows for factors above 1.
    assert (error("fmul") >= ulp).all()
    assert (error("fmul") < 64 * ulp).all()
    assert (error("fmax") <= 2 * ulp).all()
    assert not error("iadd").any()


@pytest.mark.parametrize("operation", ["fadd", "fmul", "fmin", "iadd", "imin", "imax", "umax", "iand"])
@pytest.mark.parametrize("size", ["0x00000000", "8", "24"])
def test_reductions_of_a_size_that_no_value_has_are_refused(operation: str, size: str) -> None:
    """The destination may be unreadable; integers may have 8 bits."""
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    {size} %9 = @reduce (%0) (reduction_op={operation}, cluster_size=0)
                // succs: b99"""
    if size == "8" and not operation.startswith("f"):
        Machine(shader_of(text))
        return
    with pytest.raises(Unsupported):
        Machine(shader_of(text))
