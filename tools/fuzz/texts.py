"""Fuzzing with texts: mutated dumps through everything that nirls does with a dump."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from nirls.server.engine.worker.job import Budget, Cause
from tools.fuzz.failures import Failure
from tools.fuzz.minimise import minimise
from tools.fuzz.notes import Wrong
from tools.fuzz.samples import samples
from tools.fuzz.text_mutations import mutated
from tools.fuzz.trial import try_text
from tools.fuzz.watchdog import LIMIT, Watchdog

_MINIMISE_SECONDS = 60.0


@dataclass(slots=True)
class Tally:
    """The number of inputs and their outcomes; failures with the same signature count once."""

    tried: int = 0
    failures: list[Failure] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    @property
    def hangs(self) -> int:
        return sum(one.wrong.detail.startswith(Cause.TIME.value) for one in self.failures)

    @property
    def crashes(self) -> int:
        return len(self.failures) - self.hangs


def fuzz_texts(
    first: int,
    number: int | None,
    seconds: float | None,
    budget: Budget = LIMIT,
    told: Callable[[Failure], None] = lambda _: None,
    minimise_seconds: float = _MINIMISE_SECONDS,
) -> Tally:
    """Try the texts of the seeds from `first` on, so many or so long; each failure is made small and told."""
    texts = samples()
    tally = Tally()
    watchdog = Watchdog(budget)
    end = None if seconds is None else time.monotonic() + seconds
    try:
        for seed in count(first):
            if (number is not None and seed - first >= number) or (
                end is not None and time.monotonic() > end
            ):
                return tally
            text = mutated(texts, random.Random(seed))
            tally.tried += 1
            for wrong in watchdog.run(try_text, text, seed):
                if wrong.signature in tally.seen:
                    continue
                tally.seen.add(wrong.signature)
                small = _smallest(text, seed, wrong, watchdog, minimise_seconds)
                tally.failures.append(Failure("text", seed, wrong, small))
                told(tally.failures[-1])
    finally:
        watchdog.stop()
    return tally


def _smallest(text: bytes, seed: int, wrong: Wrong, watchdog: Watchdog, seconds: float) -> bytes:
    if wrong.detail.startswith(Cause.TIME.value):
        return text  # each look would take as long again

    def still_wrong(part: bytes) -> bool:
        return any(one.signature == wrong.signature for one in watchdog.run(try_text, part, seed))

    return minimise(text, still_wrong, seconds)
