"""The tries of a kind of fuzzing: so many or so long, and what came of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from nirls.server.engine.worker.job import Cause
from tools.fuzz.failures import Failure
from tools.fuzz.notes import Wrong


def in_time(numbers: Iterable[int], seconds: float | None) -> Iterator[int]:
    """Return the numbers until the time is over, which begins with the first; None is without end."""
    end = None if seconds is None else time.monotonic() + seconds
    for number in numbers:
        if end is not None and time.monotonic() > end:
            return
        yield number


@dataclass(slots=True)
class FuzzTally:
    """The number of inputs and their outcomes; failures with the same signature count once."""

    on_failure: Callable[[Failure], None] = lambda _: None
    tried: int = 0
    failures: list[Failure] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def new(self, found: Iterable[Wrong]) -> Iterator[Wrong]:
        """Count an input, and return what went wrong with it that had not gone wrong before."""
        self.tried += 1
        for wrong in found:
            if wrong.signature not in self._seen:
                self._seen.add(wrong.signature)
                yield wrong

    def add(self, failure: Failure) -> None:
        """Add a new failure, with the smallest input that shows it, and tell it."""
        self.failures.append(failure)
        self.on_failure(failure)

    @property
    def hangs(self) -> int:
        return sum(failure.wrong.detail.startswith(Cause.TIME.value) for failure in self.failures)

    @property
    def crashes(self) -> int:
        return len(self.failures) - self.hangs
