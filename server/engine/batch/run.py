"""Batch execution: cached results first, the rest in this process, on all cores, or on a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from itertools import chain
from types import FrameType
from typing import Final

import psutil

from nirls.passes.registry import ENTRY_POINT_GROUP
from nirls.server.engine.batch.program import program_version
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.batch.workers import BUDGET, on_workers
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget

_POLL_INTERVAL: Final = 0.25
"""Seconds between checks of the limits."""

_MEGABYTE: Final = 1 << 20


class LimitExceededError(BaseException):
    """A limit was exceeded. A BaseException, so that handlers of pass exceptions do not catch it."""


@contextmanager
def step_limits(budget: Budget) -> Iterator[None]:
    """Limit each step of the work to the budget; raises LimitExceededError when it is exceeded.

    C code that does not return is not interrupted; on Windows and outside the main thread there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    process = psutil.Process()
    most = process.memory_info().rss + budget.megabytes * _MEGABYTE
    end = time.monotonic() + budget.seconds

    def begin(_step: str) -> None:
        nonlocal end
        end = time.monotonic() + budget.seconds

    def poll(_signal: int, _frame: FrameType | None) -> None:
        if time.monotonic() > end or process.memory_info().rss > most:
            raise LimitExceededError

    before = signal.signal(signal.SIGALRM, poll)
    steps.watch(begin)
    signal.setitimer(signal.ITIMER_REAL, _POLL_INTERVAL, _POLL_INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        steps.watch(None)


WORTH_A_PROCESS = 400_000
"""Bytes of dumps below which checking in this process is faster than starting others."""

Compute = Callable[[Work[UnitT, ResultT], Iterable[UnitT]], Iterator[tuple[int, ResultT]]]
"""Runs units and yields (number, result) pairs in order of completion. It takes units one by one, so that
others run while they are read."""


def results_of(
    work: Work[UnitT, ResultT],
    units: Iterable[UnitT],
    cache: ResultCache | None,
    compute: Compute[UnitT, ResultT],
) -> Generator[tuple[int, ResultT], None, None]:
    """Yield (number, result) for each unit in any order; results not in the cache are computed and stored.

    Equal units are computed once.
    """
    version = "" if cache is None else program_version()
    missing: list[str] = []
    waiting: dict[str, list[int]] = {}
    known: dict[str, ResultT] = {}
    ready: deque[tuple[int, ResultT]] = deque()

    def to_compute() -> Iterator[UnitT]:
        for number, unit in enumerate(units):
            key = unit.key(version)
            if key in waiting:
                waiting[key].append(number)
                continue
            found = known.get(key)
            if found is None and cache is not None:
                found = cache.get(key, work.result_type)
            if found is not None:
                known[key] = found
                ready.append((number, found))
                continue
            missing.append(key)
            waiting[key] = [number]
            yield unit

    try:
        for index, found in compute(work, to_compute()):
            key = missing[index]
            # Failures are not cached: they may be due to low memory and succeed next time.
            if cache is not None and work.is_kept(found):
                cache.put(key, found)
            known[key] = found
            ready.extend((number, found) for number in waiting.pop(key))
            while ready:
                yield ready.popleft()
        yield from ready
    finally:
        if cache is not None and missing:
            cache.shrink()


def in_this_process(work: Work[UnitT, ResultT], units: Iterable[UnitT]) -> Iterator[tuple[int, ResultT]]:
    """Run units in this process, without limits."""
    return ((number, work.here(unit)) for number, unit in enumerate(units))


def on_this_machine(
    work: Work[UnitT, ResultT], units: Iterable[UnitT], jobs: int = 0, budget: Budget = BUDGET
) -> Iterator[tuple[int, ResultT]]:
    """Run units in up to `jobs` processes (0 for one per core), or in this process if that is faster.

    Each pass is limited on each unit. Passes of other packages never run in this process.
    """
    numbered = enumerate(units)
    first: list[tuple[int, UnitT]] = []
    size = 0
    for each in numbered:
        first.append(each)
        size += each[1].size
        if size >= WORTH_A_PROCESS:
            break
    if size < WORTH_A_PROCESS and not entry_points(group=ENTRY_POINT_GROUP):
        while first:
            number, unit = first[0]
            try:
                with step_limits(budget):
                    found = work.here(unit)
            except LimitExceededError:
                # A worker process can be killed and reports the step that exceeded the limit.
                break
            del first[0]
            yield number, found
    if first:
        yield from on_workers(work, chain(first, numbered), jobs or available_cores(), budget)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
