"""Units of work in worker processes, with time and memory limits for each step."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from nirls.ir.finding import Finding
from nirls.server.engine.batch.unit import Unit, UnitFindings, check_unit
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.checks.check_settings import adjusted
from nirls.server.engine.checks.dump_findings import failure_finding
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import Worker, WorkerProcess

_IN_A_ROW: Final = 8
"""Units that a process takes at once: successive snapshots of a shader, which it reads and remembers."""

BUDGET = Budget(seconds=60.0, megabytes=2048)
"""Limit for each pass on each unit; generous, because batch runs are not interactive."""


def on_workers(
    work: Work[UnitT, ResultT], units: Iterable[tuple[int, UnitT]], jobs: int, budget: Budget = BUDGET
) -> Iterator[tuple[int, ResultT]]:
    """Run numbered units in up to `jobs` processes, which are stopped when the iterator is closed.

    Units are taken from `units` while others run.
    """
    waiting: queue.SimpleQueue[tuple[int, UnitT] | None] = queue.SimpleQueue()
    results: queue.SimpleQueue[tuple[int, ResultT] | Exception] = queue.SimpleQueue()
    workers = [WorkerProcess(budget) for _ in range(jobs)]
    taking = threading.Lock()

    def next_units() -> list[tuple[int, UnitT] | None]:
        """Wait for a unit or the end (None); take those behind a unit too, a small share of those that wait.

        The share is too small to reach an end, which is for one process.
        """
        with taking:
            first = waiting.get()
            share = min(_IN_A_ROW - 1, waiting.qsize() // (2 * jobs)) if first is not None else 0
            return [first, *(waiting.get() for _ in range(share))]

    threads = [threading.Thread(target=_work, args=(work, worker, next_units, results)) for worker in workers]
    running = 0
    try:
        for thread in threads:
            thread.start()
        for each in units:
            waiting.put(each)
            running += 1
            while not results.empty():
                yield _result(results.get())
                running -= 1
        for _ in range(running):
            yield _result(results.get())
    finally:
        for _ in threads:
            waiting.put(None)
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join()


def _result(found: tuple[int, ResultT] | Exception) -> tuple[int, ResultT]:
    if isinstance(found, Exception):
        raise found
    return found


def check_in(worker: Worker, unit: Unit) -> UnitFindings:
    """Check a unit in a worker; a pass that ends the process becomes a finding and is disabled in the retry.

    Raises JobFailedError if the worker was stopped.
    """
    failed: list[Finding] = []
    while True:
        try:
            unit_findings = worker.call(None, check_unit, unit)
            return replace(unit_findings, findings=(*failed, *unit_findings.findings))
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
    next_units: Callable[[], list[tuple[int, UnitT] | None]],
    results: queue.SimpleQueue[tuple[int, ResultT] | Exception],
) -> None:
    try:
        while True:
            for numbered in next_units():
                if numbered is None:
                    return
                number, unit = numbered
                results.put((number, work.in_worker(worker, unit)))
    except Exception as error:
        # Raised by the iterator in `on_workers`, unless that has been closed.
        results.put(error)


def _failure(unit: Unit, error: JobFailedError) -> list[Finding]:
    """Failure finding at the start of the first dump with `alone` set; empty if `pass-failed` is off."""
    name = error.step or "the check of this dump"
    failure = PassFailure(name, unit.texts, unit.settings, error.cause, error.detail)
    number = unit.alone.index(True) if True in unit.alone else 0
    finding = failure_finding(unit.texts[number], error.step, failure.message).with_dumps((number,))
    return adjusted([replace(finding, data={"trace": error.trace})], unit.settings)


def _is_kept(found: UnitFindings) -> bool:
    """True if no pass failed; a failure may be due to low memory and is retried in the next run."""
    return all(finding.code != PASS_FAILED.code for finding in found.findings)


CHECK: Work[Unit, UnitFindings] = Work(check_unit, check_in, UnitFindings, _is_kept)
"""Findings of dumps and pipelines."""
