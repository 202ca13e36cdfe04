"""Exchange of values in quads, derivatives, votes."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import DATA0, run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000003)
    32x4   %3 = @load_frag_coord
    32     %4 = f2u32 %3.x
    32     %5 = f2u32 %3.y
    32     %6 = iand %4, %1 (0x1)
    32     %7 = iand %5, %1 (0x1)
    32     %8 = ishl %7, %1 (0x1)
    32     %9 = ior %6, %8
"""


def place_in_quad(line: str) -> list[int]:
    """What a line makes of %9, the number of the lane in its quad."""
    body = HEAD + line + "\n" + store("10", "0", "FRAG_RESULT_DATA0") + "\n                // succs: b99"
    return stored(run(shader_of(body, "FRAGMENT")), slot=DATA0)


@pytest.mark.parametrize(
    ("line", "quad"),
    [
        ("    32     %10 = mov %9", [0, 1, 2, 3]),
        ("    32     %10 = @quad_swap_horizontal (%9)", [1, 0, 3, 2]),
        ("    32     %10 = @quad_swap_vertical (%9)", [2, 3, 0, 1]),
        ("    32     %10 = @quad_swap_diagonal (%9)", [3, 2, 1, 0]),
        ("    32     %10 = @quad_broadcast (%9, %2 (0x3))", [3, 3, 3, 3]),
    ],
)
def test_exchange(line: str, quad: list[int]) -> None:
    assert place_in_quad(line) == quad * 2


SQUARES = """    32     %11 = u2f32 %9
    32     %12 = fmul %11, %11
    32     %13 = @{} (%12)
    32     %10 = f2i32 %13"""


@pytest.mark.parametrize(
    ("name", "quad"),
    [
        ("ddx", [1, 1, 5, 5]),
        ("ddx_fine", [1, 1, 5, 5]),
        ("ddx_coarse", [1, 1, 1, 1]),
        ("ddy", [4, 8, 4, 8]),
        ("ddy_coarse", [4, 4, 4, 4]),
    ],
)
def test_derivative(name: str, quad: list[int]) -> None:
    assert place_in_quad(SQUARES.format(name)) == quad * 2


def test_votes_of_a_quad() -> None:
    lines = """    1      %11 = ieq %9, %2 (0x3)
    1      %12 = @quad_vote_any (%11)
    1      %13 = @quad_vote_all (%11)
    32     %14 = b2i32 %12
    32     %15 = b2i32 %13
    32     %16 = ishl %15, %1 (0x1)
    32     %10 = ior %14, %16"""
    assert place_in_quad(lines) == [1] * 8


def test_an_ended_lane_does_not_vote() -> None:
    lines = """    1      %11 = ieq %9, %2 (0x3)
                @terminate_if (%11)
    1      %12 = @quad_vote_any (%11)
    1      %13 = inot %11
    1      %14 = @quad_vote_all (%13)
    32     %15 = b2i32 %12
    32     %16 = b2i32 %14
    32     %17 = ishl %16, %1 (0x1)
    32     %10 = ior %15, %17
"""
    body = HEAD + lines + store("10", "0", "FRAG_RESULT_DATA0") + "\n                // succs: b99"
    plane = run(shader_of(body, "FRAGMENT")).outputs[OutputKey(DATA0, 0)]
    assert plane.bits[plane.written].tolist() == [2] * 6


def test_an_ended_neighbour_leaves_nothing_to_take() -> None:
    lines = """    1      %11 = ieq %9, %2 (0x3)
                @terminate_if (%11)
    32     %10 = @quad_swap_horizontal (%9)
"""
    body = HEAD + lines + store("10", "0", "FRAG_RESULT_DATA0") + "\n                // succs: b99"
    plane = run(shader_of(body, "FRAGMENT")).outputs[OutputKey(DATA0, 0)]
    assert plane.poison[:, 0].tolist() == [False, False, True, False] * 2
    assert plane.written[:, 0].tolist() == [True, True, True, False] * 2
