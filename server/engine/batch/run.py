"""Batch execution: cached results first, the rest in this process, on all cores, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib.metadata import entry_points

from nirls.passes.registry import ENTRY_POINT_GROUP
from nirls.server.engine.batch.patience import OutOfPatienceError, patience
from nirls.server.engine.batch.program import program_version
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.batch.workers import BUDGET, on_workers
from nirls.server.engine.worker.job import Budget

_WORTH_A_PROCESS = 400_000
"""Bytes of dumps below which checking in this process is faster than starting others."""

Compute = Callable[[Work[UnitT, ResultT], Sequence[UnitT]], Iterator[tuple[int, ResultT]]]
"""Runs units and yields (number, result) pairs in order of completion."""


def results_of(
    work: Work[UnitT, ResultT],
    units: Sequence[UnitT],
    cache: ResultCache | None,
    compute: Compute[UnitT, ResultT],
) -> Generator[tuple[int, ResultT], None, None]:
    """Yield (number, result) for each unit in any order; results not in the cache are computed and stored.

    Equal units are computed once.
    """
    version = "" if cache is None else program_version()
    numbers: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        numbers.setdefault(unit.key(version), []).append(number)
    missing = []
    for key, same in numbers.items():
        found: ResultT | None = None if cache is None else cache.get(key, work.result_type)
        if found is None:
            missing.append(key)
            continue
        for number in same:
            yield number, found
    try:
        for index, found in compute(work, [units[numbers[key][0]] for key in missing]):
            # Failures are not cached: they may be due to low memory and succeed next time.
            if cache is not None and work.is_kept(found):
                cache.put(missing[index], found)
            for number in numbers[missing[index]]:
                yield number, found
    finally:
        if cache is not None and missing:
            cache.shrink()


def on_this_machine(
    work: Work[UnitT, ResultT], units: Sequence[UnitT], jobs: int, budget: Budget = BUDGET
) -> Iterator[tuple[int, ResultT]]:
    """Run units in up to `jobs` processes, or in this process if that is faster.

    Each pass is limited on each unit. Passes of other packages never run in this process.
    """
    left = list(enumerate(units))
    if sum(unit.size for unit in units) < _WORTH_A_PROCESS and not entry_points(group=ENTRY_POINT_GROUP):
        while left:
            number, unit = left[0]
            try:
                with patience(budget):
                    found = work.here(unit)
            except OutOfPatienceError:
                # A worker process can be killed and reports the step that exceeded the limit.
                break
            del left[0]
            yield number, found
    if left:
        yield from on_workers(work, left, max(jobs, 1), budget)


def available_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
