"""Growth of the CPU time of an action with the size of its input."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final

from tools.growth.measure import Measure, Times
from tools.growth.shapes import Shape, many_pipelines

MOST_PER_DOUBLING: Final = 2.5
"""Factor by which the time may grow where the input doubles. A linear step has 2, n log n little more."""

_TOO_SHORT: Final = 0.04
"""Seconds at the largest size below which the growth of an action is not judged: noise decides there."""
_RUNS: Final = 3


@dataclass(frozen=True, slots=True)
class TimeGrowth:
    """CPU seconds of an action on inputs of a shape with n, 2n and 4n lines."""

    action: str
    shape: str
    bytes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def per_doubling(self) -> float:
        """The factor by which the time grows where the input doubles, averaged over the sizes.

        The input doubles where its bytes do: an indented nest of depth n has n squared of them.
        """
        doublings = max(math.log2(self.bytes[-1] / self.bytes[0]), len(self.bytes) - 1)
        return float((self.seconds[-1] / max(self.seconds[0], 1e-6)) ** (1 / doublings))

    @property
    def is_too_fast(self) -> bool:
        """Whether the time grows faster than it may."""
        return self.seconds[-1] > _TOO_SHORT and self.per_doubling >= MOST_PER_DOUBLING

    def __str__(self) -> str:
        figures = ", ".join(f"{second * 1000:.0f}" for second in self.seconds)
        return (
            f"{self.action} on {self.shape}: {figures} ms for {', '.join(map(str, self.bytes))} bytes,"
            f" {self.per_doubling:.2f} per doubling"
        )


def growths(shape: Shape, measure: Measure, size: int) -> list[TimeGrowth]:
    """Measure all actions on the shape with `size`, 2 and 4 times as many lines.

    If one seems to grow too fast, all are measured again, and the shortest times count: another process may
    have had the caches of the machine.
    """
    _import_all(measure)
    texts = [shape(size * factor) for factor in (1, 2, 4)]
    best: list[Times] = []
    for _ in range(_RUNS):
        with _without_collections():
            measured = [measure(text) for text in texts]
        best = [_shortest(old, new) for old, new in zip(best or measured, measured, strict=True)]
        time_growths = list(_growths(shape.__name__, texts, best))
        if not any(time_growth.is_too_fast for time_growth in time_growths):
            break
    return time_growths


@cache
def _import_all(measure: Measure) -> None:
    """Take a measurement for nothing: what is imported on first use must not be charged to it."""
    measure(many_pipelines(100))


def _growths(shape: str, texts: Sequence[str], times: Sequence[Times]) -> Iterator[TimeGrowth]:
    sizes = tuple(len(text) for text in texts)
    for action in times[0]:
        yield TimeGrowth(action, shape, sizes, tuple(time[action] for time in times))


def _shortest(first: Times, second: Times) -> Times:
    return {action: min(seconds, second[action]) for action, seconds in first.items()}


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep the garbage collector from charging one action with the objects of others."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
