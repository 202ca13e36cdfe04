"""Memory of the server and of its workers over long sessions: a session of any length needs as much."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tools.fuzz.client import start
from tools.fuzz.long_sessions import SESSIONS, LongSession
from tools.fuzz.notes import Wrong
from tools.fuzz.sessions import errors_to, logged
from tools.lsp_client import LspClient

WARM_UP: Final = 0.2
"""The part of a session in which caches fill and workers start."""

LONGEST: Final = 4
"""How many times its steps a session may take that seems to grow.

It goes on for as many steps again as it has taken, and these become its warm-up: a cache with a limit is full
at some time, and a leak never ends.
"""

MOST_GROWTH: Final = 0.05
"""The part by which the last quarter behind the warm-up may need more than the first; it varies by some."""

_SAMPLES: Final = 100
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """The memory of a session: megabytes of the server and of each worker, in equal intervals.

    A worker that had not started yet, or has ended, takes none. `warm_up` is the number of samples of the
    warm-up, `wrong` is what the server logged.
    """

    name: str
    steps: int
    samples: tuple[tuple[float, ...], ...]
    warm_up: int
    wrong: tuple[Wrong, ...] = ()

    @property
    def processes(self) -> dict[str, list[float]]:
        """The course of each process, and of all together."""
        columns = list(zip(*self.samples, strict=True))
        found = {"server": list(columns[0])}
        found |= {f"worker {number}": list(one) for number, one in enumerate(columns[1:], start=1)}
        found["together"] = [sum(sample) for sample in self.samples]
        return found

    @property
    def is_flat(self) -> bool:
        """Whether all together need as much in the last quarter as in the first after the warm-up."""
        first, *_, last = self._quarters(self.processes["together"])
        return last <= first * (1 + MOST_GROWTH)

    def __str__(self) -> str:
        head = f"memory, {self.name} ({self.steps:,} steps): {'flat' if self.is_flat else 'IT GROWS'}"
        titles = ("MB", "start", "warm-up", "1st quarter", "2nd", "3rd", "last", "growth")
        lines = [head, "  {:10}{:>8}{:>10}{:>13}{:>8}{:>8}{:>8}{:>10}".format(*titles)]
        for name, course in self.processes.items():
            quarters = self._quarters(course)
            growth = quarters[-1] / quarters[0] - 1 if quarters[0] else 0.0
            numbers = "{:8.1f}{:10.1f}{:13.1f}{:8.1f}{:8.1f}{:8.1f}".format(
                course[0], median(course[: self.warm_up]), *quarters
            )
            lines.append(f"  {name:10}{numbers}{growth:10.1%}")
        lines += [f"  {wrong.step}: {wrong.detail}\n{wrong.trace}" for wrong in self.wrong]
        return "\n".join(lines)

    def _quarters(self, course: list[float]) -> list[float]:
        """The medians of the quarters behind the warm-up."""
        rest = course[self.warm_up :] or course
        bounds = [len(rest) * number // 4 for number in range(5)]
        return [median(rest[begin:end] or rest) for begin, end in pairwise(bounds)]


def growths(edits: int, sessions: Iterable[LongSession] = SESSIONS) -> Iterator[MemoryGrowth]:
    """Hold the sessions, each with its share of so many edits."""
    for session in sessions:
        yield memory_over(session, max(1, round(edits * session.share)))


def memory_over(session: LongSession, steps: int) -> MemoryGrowth:
    """Hold a session with a server of its own and measure."""
    with tempfile.TemporaryDirectory(prefix="nirls-fuzz-") as name:
        log = Path(name) / "stderr"
        with (
            log.open("wb") as file,
            errors_to(file),
            start(Path(name), "utf-16", pulls=True) as client,
        ):
            doing = session.hold(client, Path(name))
            growth = measured(session.name, doing, steps, lambda: _megabytes(client))
        return replace(growth, wrong=tuple(logged(log.read_bytes())))


def measured(
    name: str, doing: Iterator[None], steps: int, megabytes: Callable[[], Sequence[float]]
) -> MemoryGrowth:
    """Take steps and measure; take as many again as long as the memory grows, up to `LONGEST` times."""
    every = max(1, steps // _SAMPLES)
    samples: list[Sequence[float]] = []
    taken, wanted = 0, steps
    warm_up = max(1, round(steps // every * WARM_UP))
    while True:
        for step in range(taken, wanted):
            next(doing)
            if step % every == 0:
                samples.append(megabytes())
        taken = wanted
        rows = zip(*zip_longest(*samples, fillvalue=0.0), strict=True)
        growth = MemoryGrowth(name, taken, tuple(rows), warm_up)
        if growth.is_flat or taken >= LONGEST * steps:
            return growth
        wanted, warm_up = 2 * taken, len(samples)


def _megabytes(client: LspClient) -> list[float]:
    """The growth of the server, then of its workers in the order in which they started."""
    server = psutil.Process(client.process.pid)
    workers = sorted(server.children(recursive=True), key=lambda child: child.create_time())
    found = []
    for process in (server, *workers):
        try:
            found.append(process.memory_info().rss / _MEGABYTE)
        except psutil.NoSuchProcess:  # a worker that was replaced just now
            continue
    return found
