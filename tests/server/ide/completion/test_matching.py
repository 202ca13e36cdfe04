"""What fits the letters typed so far."""

from __future__ import annotations

import pytest

from nirls.server.ide.completion.candidate import Candidate, Kind
from nirls.server.ide.completion.matching import MOST, best


def words(*labels: str) -> list[Candidate]:
    return [Candidate(label, Kind.WORD) for label in labels]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", ["fadd", "ffma", "@load_add", "xfaddle", "flat_and_dry", "%12", "ssa_12"]),
        ("fad", ["fadd", "xfaddle", "flat_and_dry"]),
        ("add", ["@load_add", "fadd", "xfaddle", "flat_and_dry"]),
        ("@load", ["@load_add"]),
        ("%1", ["%12", "ssa_12"]),
        ("FFMA", ["ffma"]),
        ("zz", []),
    ],
)
def test_order(word: str, expected: list[str]) -> None:
    found, is_complete = best(
        words("fadd", "ffma", "@load_add", "xfaddle", "flat_and_dry", "%12", "ssa_12"), word
    )
    assert [one.label for one in found] == expected
    assert is_complete


def test_ranks_count_among_equals() -> None:
    found, _ = best([Candidate("abc", Kind.WORD, rank=3), Candidate("abd", Kind.WORD, rank=1)], "ab")
    assert [one.label for one in found] == ["abd", "abc"]


def test_too_many_are_cut() -> None:
    found, is_complete = best(words(*(f"w{number}" for number in range(MOST + 1))), "w")
    assert len(found) == MOST
    assert not is_complete
