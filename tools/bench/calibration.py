"""Speed of this machine at present, so that figures of other days and machines can be compared."""

from __future__ import annotations

import json
import re
import statistics
import time
from typing import Final

_WORDS: Final = [f"32 %{number} = fadd %{number - 1}, %{number - 2}" for number in range(2, 2000)]
_PATTERN: Final = re.compile(r"%(\d+)")


def work() -> int:
    """A bit of everything that a server does: objects, dictionaries, regular expressions, JSON."""
    uses: dict[str, list[int]] = {}
    for place, line in enumerate(_WORDS):
        for match in _PATTERN.finditer(line):
            uses.setdefault(match[1], []).append(place)
    text = json.dumps(uses)
    return len(text) + sum(len(places) for places in json.loads(text).values())


def unit(runs: int = 15) -> float:
    """Milliseconds that `work` takes here, the median of some runs."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)
