"""Times of work, and the speed of this machine at present, by which times of other machines are compared."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable
from typing import Final

_WORDS: Final = [f"32 %{number} = fadd %{number - 1}, %{number - 2}" for number in range(2, 2000)]
_PATTERN: Final = re.compile(r"%(\d+)")


def since(started: float) -> float:
    """Milliseconds since a moment of the performance counter."""
    return (time.perf_counter() - started) * 1000


def milliseconds(work: Callable[[], object], runs: int = 1) -> float:
    """The median time of some work."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(since(started))
    return statistics.median(times)


def unit(runs: int = 15) -> float:
    """Milliseconds that `work` takes here, the median of some runs."""
    return milliseconds(work, runs)


def work() -> int:
    """A bit of everything that a server does: objects, dictionaries, regular expressions, JSON."""
    uses: dict[str, list[int]] = {}
    for place, line in enumerate(_WORDS):
        for match in _PATTERN.finditer(line):
            uses.setdefault(match[1], []).append(place)
    text = json.dumps(uses)
    return len(text) + sum(len(places) for places in json.loads(text).values())
