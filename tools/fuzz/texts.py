"""Fuzzing with texts: mutated dumps through everything that nirls does with a dump."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from nirls.server.engine.worker.job import Budget, Cause
from tools.fuzz.failures import Failure
from tools.fuzz.minimise import minimise
from tools.fuzz.notes import Wrong
from tools.fuzz.samples import samples
from tools.fuzz.tally import FuzzTally, in_time
from tools.fuzz.text_mutations import mutated
from tools.fuzz.trial import try_text
from tools.fuzz.watchdog import LIMIT, TrialWatchdog

_MINIMISE_SECONDS = 60.0


def fuzz_texts(
    seeds: Iterable[int],
    seconds: float | None,
    budget: Budget = LIMIT,
    on_failure: Callable[[Failure], None] = lambda _: None,
    minimise_seconds: float = _MINIMISE_SECONDS,
) -> FuzzTally:
    """Try the texts of the seeds, for so long at most; each failure is minimised and reported."""
    texts = samples()
    tally = FuzzTally(on_failure)
    with TrialWatchdog(budget) as watchdog:
        for seed in in_time(seeds, seconds):
            text = mutated(texts, random.Random(seed))
            for wrong in tally.new(watchdog.run(try_text, text, seed)):
                small = _smallest(text, seed, wrong, watchdog, minimise_seconds)
                tally.add(Failure("text", seed, wrong, small))
    return tally


def _smallest(text: bytes, seed: int, wrong: Wrong, watchdog: TrialWatchdog, seconds: float) -> bytes:
    if wrong.detail.startswith(Cause.TIME.value):
        return text  # each look would take as long again

    def still_wrong(part: bytes) -> bool:
        return any(one.signature == wrong.signature for one in watchdog.run(try_text, part, seed))

    return minimise(text, still_wrong, seconds)
