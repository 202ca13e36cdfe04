"""Checking units in worker processes, each step with a limit of time and memory."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nirls.ir.finding import Finding
from nirls.server.engine.batch.unit import Unit, UnitFindings, check_unit
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.checking import PASS_FAILED, adjusted, failure_finding
from nirls.server.engine.pass_failures import PassFailure
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import Worker, WorkerProcess

BUDGET = Budget(seconds=60.0, megabytes=2048)
"""For each pass on each unit; nobody waits for a single one."""


def on_workers(
    work: Work[UnitT, ResultT], units: Sequence[tuple[int, UnitT]], jobs: int, budget: Budget = BUDGET
) -> Iterator[tuple[int, ResultT]]:
    """Do numbered units in so many processes; all of these end with the iterator."""
    waiting: queue.SimpleQueue[tuple[int, UnitT]] = queue.SimpleQueue()
    for each in units:
        waiting.put(each)
    results: queue.SimpleQueue[tuple[int, ResultT] | Exception] = queue.SimpleQueue()
    workers = [WorkerProcess(budget) for _ in range(min(jobs, len(units)))]
    threads = [threading.Thread(target=_work, args=(work, worker, waiting, results)) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        for _ in units:
            result = results.get()
            if isinstance(result, Exception):
                raise result
            yield result
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join()


def check_in(worker: Worker, unit: Unit) -> UnitFindings:
    """The findings of a unit; a pass that ended the process is one of them, and the others go on without it.

    Raises JobFailedError if the worker was stopped, or cannot be started.
    """
    failed: list[Finding] = []
    while True:
        try:
            found = worker.call(None, check_unit, unit)
            return replace(found, findings=(*failed, *found.findings))
        except JobFailedError as error:
            if error.cause is Cause.STOPPED:
                raise
            failed += _failure(unit, error)
            if not error.step or not unit.settings.passes.get(error.step, True):
                return UnitFindings(tuple(failed))
            unit = unit.without(error.step)


def _work(
    work: Work[UnitT, ResultT],
    worker: WorkerProcess,
    waiting: queue.SimpleQueue[tuple[int, UnitT]],
    results: queue.SimpleQueue[tuple[int, ResultT] | Exception],
) -> None:
    try:
        while True:
            number, unit = waiting.get_nowait()
            results.put((number, work.in_worker(worker, unit)))
    except queue.Empty:
        return
    except Exception as error:
        # Somebody who waits for it: the iterator raises it, or is over already.
        results.put(error)


def _failure(unit: Unit, error: JobFailedError) -> list[Finding]:
    """The finding at the head of the first dump that was named; none if such findings are off."""
    name = error.step or "the check of this dump"
    failure = PassFailure(name, unit.texts, unit.settings, error.cause, error.detail)
    number = unit.alone.index(True) if True in unit.alone else 0
    found = failure_finding(unit.texts[number], error.step, failure.message).with_dumps((number,))
    return adjusted([replace(found, data={"trace": error.trace})], unit.settings)


def _is_kept(found: UnitFindings) -> bool:
    """Whether no pass failed: that may have been for want of memory, and is worth another try."""
    return all(one.code != PASS_FAILED.code for one in found.findings)


CHECK: Work[Unit, UnitFindings] = Work(check_unit, check_in, UnitFindings, _is_kept)
"""Findings of dumps and pipelines."""
