from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.analysis.alignment import aligned

WORDS = st.lists(st.sampled_from("abcdef"), max_size=30)


@given(WORDS, WORDS)
def test_pairs_are_equal_and_rise_in_both(first: list[str], second: list[str]) -> None:
    pairs = aligned(first, second)
    assert all(first[one] == second[other] for one, other in pairs)
    for (one, other), (next_one, next_other) in pairwise(pairs):
        assert one < next_one
        assert other < next_other


@given(WORDS)
def test_a_sequence_is_aligned_with_itself_completely(words: list[str]) -> None:
    assert aligned(words, words) == [(place, place) for place in range(len(words))]


def test_what_is_unique_holds_the_rest_together() -> None:
    assert aligned("x1y2x", "z2y2") == [(2, 2), (3, 3)]


def test_long_stretches_without_anchor_do_not_take_forever() -> None:
    first = ["a", "b"] * 50_000
    second = ["b", "b", "a"] * 30_000
    assert len(aligned(first, second)) <= len(second)
