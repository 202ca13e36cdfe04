"""Checking units in worker processes, each step with a limit of time and memory."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence

from nirls.passes.finding import Severity
from nirls.server.cli.reported import Excerpt, Reported
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.checking import PASS_FAILED
from nirls.server.engine.pass_failures import PassFailure
from nirls.server.engine.positions import Position, Range
from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.failure import Cause, JobFailedError
from nirls.server.engine.worker.here import Worker
from nirls.server.engine.worker.process import WorkerProcess

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


def check_in(worker: Worker, unit: Unit) -> list[Reported]:
    """The findings of a unit; a pass that ended the process is one of them, and the others go on without it.

    Raises JobFailedError if the worker was stopped, or cannot be started.
    """
    failed: list[Reported] = []
    while True:
        try:
            return [*failed, *worker.call(None, check_unit, unit)]
        except JobFailedError as error:
            if error.cause is Cause.STOPPED:
                raise
            failed += _failure(unit, error)
            if not error.step or not unit.settings.passes.get(error.step, True):
                return failed
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


def _failure(unit: Unit, error: JobFailedError) -> list[Reported]:
    """What is said of it at the head of the dump, or of the first that was named; nothing if that is off."""
    severity = unit.settings.severities.get(PASS_FAILED.code, PASS_FAILED.severity)
    if severity is Severity.OFF:
        return []
    name = error.step or "the check of this dump"
    failure = PassFailure(name, unit.texts, unit.settings, error.cause, error.detail)
    number = unit.alone.index(True) if True in unit.alone else 0
    head = unit.texts[number].splitlines()[0].decode("utf-8", "replace")
    end = min(len(head), len("shader:"))
    return [
        Reported(
            file=str(number),
            range=Range(Position(0, 0), Position(0, end)),
            excerpt=Excerpt(head, 0, end),
            kind=PASS_FAILED,
            severity=severity,
            message=failure.message,
            pass_name=error.step,
            related=(),
            fixes=(),
            data={"trace": error.trace},
        )
    ]


def _is_kept(found: list[Reported]) -> bool:
    """Whether no pass failed: that may have been for want of memory, and is worth another try."""
    return all(one.kind != PASS_FAILED for one in found)


CHECK: Work[Unit, list[Reported]] = Work(check_unit, check_in, list[Reported], _is_kept)
"""Findings of dumps and pipelines."""
