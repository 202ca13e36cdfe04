from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from nirls.passes.reduction.search import ReductionEnd, Search, smallest


def reduced(items: Sequence[int], wanted: set[int], search: Search) -> list[int]:
    found = list(items)

    def accept(smaller: Sequence[int]) -> None:
        assert wanted <= set(smaller)
        found[:] = smaller

    smallest(items, lambda kept: wanted <= set(kept), search, accept)
    return found


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("wanted", [set(), {0}, {99}, {3, 4}, {0, 50, 99}])
def test_only_what_is_needed_is_left(jobs: int, wanted: set[int]) -> None:
    search = Search(jobs=jobs)
    assert set(reduced(range(100), wanted, search)) == wanted
    assert search.end is ReductionEnd.COMPLETE


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_first_candidate_that_holds_is_taken(jobs: int) -> None:
    assert Search(jobs=jobs).first(range(100), lambda number: number % 7 == 6) == (6, 6)
    assert Search(jobs=jobs).first(range(5), lambda number: False) is None


def test_as_many_candidates_as_jobs_are_tried_at_once() -> None:
    meeting = threading.Barrier(3, timeout=20)
    search = Search(jobs=3)
    assert search.first(range(6), lambda number: meeting.wait() < 0) is None
    assert search.tries == 6


def test_errors_of_a_test_in_a_thread_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        Search(jobs=2).first([1, 0, 2], lambda number: 1 // number > 1)


def test_limits_end_it() -> None:
    search = Search.lasting(0.0)
    assert reduced(range(8), {1}, search) == list(range(8))
    assert search.end is ReductionEnd.LATE
    interrupted = Search(is_interrupted=True)
    assert interrupted.first([1], lambda number: True) is None
    assert interrupted.end is ReductionEnd.INTERRUPTED
