"""AMD's operations across lanes, against what the instructions behind them are documented to do."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import run, shader_of, store, stored

LANES = 32


def results(*lines: str) -> list[int]:
    """What %9 is on each lane; %1 is the number of the lane in its subgroup."""
    body = "\n".join(f"    {line}" for line in lines)
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_subgroup_invocation
{body}
{store("9", "0")}
                // succs: b99"""
    return stored(run(shader_of(text), lanes=LANES))


@pytest.mark.parametrize(
    ("mask", "source_of"),
    [
        ("((id & 31) | 0) ^ 1", lambda lane: lane ^ 1),
        ("((id & 28) | 2) ^ 0", lambda lane: lane & 28 | 2),
        ("((id & 0) | 5) ^ 3", lambda lane: 6),
    ],
)
def test_masked_swizzle(mask: str, source_of: object) -> None:
    assert callable(source_of)
    found = results(f"32     %9 = @masked_swizzle_amd (%1) (swizzle_mask={mask}, fetch_inactive=1)")
    assert found == [source_of(lane) for lane in range(LANES)]


def test_quad_swizzle_reads_the_lane_that_each_digit_names() -> None:
    found = results("32     %9 = @quad_swizzle_amd (%1) (swizzle_mask=0321, fetch_inactive=1)")
    assert found == [lane & ~3 | (0, 3, 2, 1)[lane & 3] for lane in range(LANES)]


@pytest.mark.parametrize("mask", ["0421", "13210"])
def test_a_mask_that_cannot_be_read_is_not_guessed(mask: str) -> None:
    text = f"""
    block b0:  // preds:
    32     %1 = @load_subgroup_invocation
    32     %9 = @quad_swizzle_amd (%1) (swizzle_mask={mask}, fetch_inactive=1)
                // succs: b99"""
    with pytest.raises(Unsupported):
        Machine(shader_of(text))


def test_a_count_within_eight_bits_of_a_word() -> None:
    found = results(
        "32     %2 = load_const (0x00000507)",
        "1      %3 = @is_subgroup_invocation_lt_amd (%2 (0x507)) (base=8)",
        "1      %4 = @is_subgroup_invocation_lt_amd (%2 (0x507)) (base=0)",
        "32     %5 = b2i32 %3",
        "32     %6 = b2i32 %4",
        "32     %9 = iadd %5, %6",
    )
    assert found == [2] * 5 + [1] * 2 + [0] * (LANES - 7)


def test_bits_below_the_own_lane_are_counted_and_added_to() -> None:
    found = results(
        "64     %2 = load_const (0x00000000f0f0f0f5)",
        "32     %3 = load_const (0x00000064)",
        "32     %9 = @mbcnt_amd (%2 (0xf0f0f0f5), %3 (0x64))",
    )
    assert found == [100 + (0xF0F0F0F5 & (1 << lane) - 1).bit_count() for lane in range(LANES)]


def test_rows_of_sixteen_are_permuted_by_nibbles() -> None:
    found = results(
        "32     %2 = load_const (0x76543210)",
        "32     %3 = load_const (0x00000009)",
        "32     %9 = @lane_permute_16_amd (%1, %2 (0x76543210), %3 (0x9))",
    )
    row = [0, 1, 2, 3, 4, 5, 6, 7, 9, 0, 0, 0, 0, 0, 0, 0]
    assert found == [start + lane for start in (0, 16) for lane in row]


def test_one_lane_gets_another_value() -> None:
    found = results(
        "32     %2 = load_const (0x00000003)",
        "32     %9 = @write_invocation_amd (%1, %0 (0x0), %2 (0x3))",
    )
    assert found == [0 if lane == 3 else lane for lane in range(LANES)]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (0x03020100, 0x80443311),
        (0x07060504, 0x887766F5),
        (0x0D0C0B0A, 0xFF00FF00),
        (0x09080007, 0xFF001188),
    ],
)
def test_bytes_are_chosen_by_a_selector(selector: int, expected: int) -> None:
    found = results(
        "32     %2 = load_const (0x887766f5)",
        "32     %3 = load_const (0x80443311)",
        f"32     %4 = load_const (0x{selector:08x})",
        f"32     %9 = @byte_permute_amd (%2 (0x887766f5), %3 (0x80443311), %4 (0x{selector:x}))",
    )
    assert found == [expected] * LANES


def test_a_value_behind_a_barrier_is_the_value() -> None:
    assert results("32     %9 = @optimization_barrier_vgpr_amd (%1)") == list(range(LANES))
