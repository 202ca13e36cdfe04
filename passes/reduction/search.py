"""The search for smaller candidates: delta debugging with a time limit, several tries at once, and an end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TypeVar

ItemT = TypeVar("ItemT")


class ReductionEnd(StrEnum):
    """Reason why a reduction ended."""

    COMPLETE = "nothing smaller was found"
    LATE = "time ran out"
    INTERRUPTED = "it was interrupted"


@dataclass(eq=False)
class Search:
    """The limits of a reduction, and the number of candidates that were tried.

    With several `jobs`, as many candidates are tried at once, in threads. The result is the same: of those
    that hold, the first one is taken.
    """

    deadline: float | None = None
    jobs: int = 1
    tries: int = 0
    is_interrupted: bool = False

    @classmethod
    def lasting(cls, seconds: float | None, jobs: int = 1) -> Search:
        """Create a search that ends after `seconds`, None for no limit."""
        return cls(None if seconds is None else time.perf_counter() + seconds, jobs)

    @property
    def is_over(self) -> bool:
        """Whether the time limit was reached or the search was interrupted."""
        return self.is_interrupted or (self.deadline is not None and time.perf_counter() > self.deadline)

    @property
    def end(self) -> ReductionEnd:
        """The reason for the end, once the search has ended."""
        if self.is_interrupted:
            return ReductionEnd.INTERRUPTED
        return ReductionEnd.LATE if self.is_over else ReductionEnd.COMPLETE

    def first(self, candidates: Iterable[ItemT], holds: Callable[[ItemT], bool]) -> tuple[int, ItemT] | None:
        """Return the first candidate that holds, with its number; None if none does before the end."""
        tried = self._tried(candidates)
        if self.jobs == 1:
            return next((found for found in tried if holds(found[1])), None)
        return self._first_of_several(tried, holds)

    def _first_of_several(
        self, tried: Iterator[tuple[int, ItemT]], holds: Callable[[ItemT], bool]
    ) -> tuple[int, ItemT] | None:
        with ThreadPoolExecutor(self.jobs) as threads:
            running: deque[tuple[tuple[int, ItemT], Future[bool]]] = deque()
            try:
                while True:
                    for found in islice(tried, self.jobs - len(running)):
                        running.append((found, threads.submit(holds, found[1])))
                    if not running:
                        return None
                    found, result = running.popleft()
                    if result.result():
                        return found
            finally:
                for _, result in running:
                    result.cancel()

    def _tried(self, candidates: Iterable[ItemT]) -> Iterator[tuple[int, ItemT]]:
        for numbered in enumerate(candidates):
            if self.is_over:
                return
            self.tries += 1
            yield numbered


def smallest(
    items: Sequence[ItemT],
    holds: Callable[[Sequence[ItemT]], bool],
    search: Search,
    on_smaller: Callable[[Sequence[ItemT]], None],
) -> bool:
    """Drop as many items as possible while `holds` (ddmin of Zeller and Hildebrandt).

    `on_smaller` is called with each smaller list that holds. Returns whether there was one.
    """
    progress = False
    size = len(items)
    while size and not search.is_over:
        start = 0
        while start < len(items):
            found = search.first(_without_parts(items, start, size), holds)
            if found is None:
                break
            number, items = found
            start += number * size
            progress = True
            on_smaller(items)
        size //= 2
    return progress


def _without_parts(items: Sequence[ItemT], start: int, size: int) -> Iterator[Sequence[ItemT]]:
    for first in range(start, len(items), size):
        yield [*items[:first], *items[first + size :]]
