"""Checking units: what is known already first, the rest in this process, on all cores, or on a cluster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from nirls.server.checking import PASS_FAILED
from nirls.server.command_line.batch.result_cache import ResultCache, program_version
from nirls.server.command_line.batch.unit import Unit, check_unit
from nirls.server.command_line.reported import Excerpt, Reported
from nirls.server.positions import Position, Range

_SAFE_PATH = "PYTHONSAFEPATH"
_WORTH_A_PROCESS = 400_000
"""Bytes of dumps; less is checked before other processes would have started."""

Results = Iterator[tuple[int, list[Reported]]]
"""Numbers of units with their findings, as they are done."""


def checked(
    units: Sequence[Unit], cache: ResultCache | None, compute: Callable[[Sequence[Unit]], Results]
) -> Results:
    """The findings of each unit by its number, in no order; what the cache lacks is computed and kept."""
    if cache is None:
        yield from compute(units)
        return
    keys = [unit.key(program_version()) for unit in units]
    missing = []
    for number, key in enumerate(keys):
        found = cache.get(key)
        if found is None:
            missing.append(number)
        else:
            yield number, found
    for index, found in compute([units[number] for number in missing]):
        # What failed may have failed for want of memory, and is worth another try.
        if all(one.kind != PASS_FAILED for one in found):
            cache.put(keys[missing[index]], found)
        yield missing[index], found
    if missing:
        cache.shrink()


def on_this_machine(units: Sequence[Unit], jobs: int) -> Results:
    """Check units in up to `jobs` processes, or in this one where that is quicker."""
    if jobs <= 1 or len(units) <= 1 or sum(unit.size for unit in units) < _WORTH_A_PROCESS:
        for number, unit in enumerate(units):
            yield number, check_unit(unit)
        return
    left = dict(enumerate(units))
    try:
        with _pool(min(jobs, len(units))) as pool:
            for number, found in _in_executor(pool, left):
                del left[number]
                yield number, found
    except BrokenProcessPool:
        # A process was ended from outside, or ran out of memory: each of the rest gets one of its own.
        for number, unit in left.items():
            yield number, _alone(unit)


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_executor(executor: Executor, units: dict[int, Unit]) -> Results:
    futures: dict[Future[list[Reported]], int] = {
        executor.submit(check_unit, unit): number for number, unit in units.items()
    }
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _alone(unit: Unit) -> list[Reported]:
    try:
        with _pool(1) as pool:
            return pool.submit(check_unit, unit).result()
    except BrokenProcessPool:
        return _ended_early(unit)


def _ended_early(unit: Unit) -> list[Reported]:
    start = Range(Position(0, 0), Position(0, 0))
    message = "the process that checked this file ended before it was done"
    return [
        Reported(
            file=file.name,
            range=start,
            excerpt=Excerpt("", 0, 0),
            kind=PASS_FAILED,
            severity=PASS_FAILED.severity,
            message=message,
            pass_name="",
            related=(),
            fixes=(),
            data={},
        )
        for file, is_context in unit.files
        if not is_context
    ]


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    before = os.environ.get(_SAFE_PATH)
    # The command may be run in a folder of somebody else's, of which nothing is to be imported.
    os.environ[_SAFE_PATH] = "1"
    try:
        # Not forked: threads of the progress bar may hold locks at that moment.
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before
