"""Alignment of two sequences of any length by patience diff."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

_MOST_COMPARISONS = 250_000
"""Maximum number of pairs compared if no element is unique; longer stretches stay unaligned."""


def aligned(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of positions of equal elements, increasing in both sequences.

    Elements that occur once in both are anchors; the stretch between two anchors is aligned recursively, and
    compared element by element if it has no anchor (Bram Cohen's patience diff).
    """
    pairs: list[tuple[int, int]] = []
    work = [(0, len(first), 0, len(second))]
    while work:
        start, end, other_start, other_end = work.pop()
        while start < end and other_start < other_end and first[start] == second[other_start]:
            pairs.append((start, other_start))
            start, other_start = start + 1, other_start + 1
        while start < end and other_start < other_end and first[end - 1] == second[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            pairs.append((end, other_end))
        if start == end or other_start == other_end:
            continue
        anchors = _anchors(first, second, (start, end, other_start, other_end))
        if anchors:
            here, there = start, other_start
            for position, other in (*anchors, (end, other_end)):
                work.append((here, position, there, other))
                here, there = position, other
        elif (end - start) * (other_end - other_start) <= _MOST_COMPARISONS:
            matcher = SequenceMatcher(None, first[start:end], second[other_start:other_end], autojunk=False)
            for block in matcher.get_matching_blocks():
                pairs += [(start + block.a + k, other_start + block.b + k) for k in range(block.size)]
    return sorted(pairs)


def _anchors(
    first: Sequence[Hashable], second: Sequence[Hashable], limits: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Return the longest increasing series of pairs of elements that are unique on both sides."""
    start, end, other_start, other_end = limits
    counts, other_counts = Counter(first[start:end]), Counter(second[other_start:other_end])
    places = {second[other]: other for other in range(other_start, other_end)}
    unique = [
        (position, places[first[position]])
        for position in range(start, end)
        if counts[first[position]] == 1 and other_counts[first[position]] == 1
    ]
    return longest_rising(unique)


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of `pairs`, sorted by the first number, that increases in the second."""
    ends: list[int] = []
    last_of_length: list[int] = []
    before: list[int] = []
    for index, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(last_of_length[length - 1] if length else -1)
        if length == len(ends):
            ends.append(other)
            last_of_length.append(index)
        else:
            ends[length], last_of_length[length] = other, index
    found: list[tuple[int, int]] = []
    index = last_of_length[-1] if last_of_length else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]
