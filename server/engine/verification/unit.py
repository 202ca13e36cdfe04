"""Unit of verification: the texts of one transition, and its verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from nirls.ir.text.parse import parse_dump
from nirls.server.engine.batch.work import Work, content_key
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import Worker
from nirls.verification.contract import rule_of
from nirls.verification.difference_values import DifferenceValues, difference_values
from nirls.verification.first_difference import FirstDifference
from nirls.verification.options import VerificationOptions
from nirls.verification.snapshots import (
    LINKED,
    QUICK,
    Losses,
    RunnableSnapshot,
    SnapshotVerdict,
    compare_linked_snapshots,
    compare_snapshots,
)
from nirls.verification.verdict import (
    Counterexample,
    Different,
    Equivalent,
    Unchecked,
    plain_coverage,
)

SECONDS = 20.0
"""Limit of a transition, in seconds of CPU time."""

_KEPT = 8
_RUNS_PER_READ = 16
_FAILED = "the comparison was given up: "


@dataclass(frozen=True, slots=True)
class PipelineTexts:
    """Texts of the stages of a pipeline before and after a change, in order."""

    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class TransitionUnit:
    """Two snapshots and the pass between them; `linked` and `unprinted` as in `Transition`."""

    before: bytes
    after: bytes
    pass_name: str
    linked: tuple[PipelineTexts, ...] = ()
    losses: Losses = Losses.WRONG
    unprinted: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Estimated work, in bytes of a dump that take as long to check."""
        return _RUNS_PER_READ * (len(self.before) + len(self.after))

    def key(self, program: str) -> str:
        """Cache key: a hash of all inputs of the result."""
        texts = [self.before, self.after]
        for linked in self.linked:
            texts += [b"linked", *linked.before, *linked.after]
        return content_key((program, self.pass_name, self.losses.value, *self.unprinted), texts)


@dataclass(frozen=True, slots=True)
class TransitionVerdict:
    """`verdict` is "equivalent", "different", "unchecked" or "unchanged"; `reason` explains it in one line.

    `instruction` is the first difference with its lines in the two dumps, if known. `tried` is what was
    tried for an equivalent one, as JSON values.
    """

    verdict: str
    reason: str
    counterexample: Counterexample | None = None
    instruction: FirstDifference | None = None
    tried: dict[str, Any] | None = None


UNCHANGED = TransitionVerdict("unchanged", "the code is the same")


def verify_unit(unit: TransitionUnit) -> TransitionVerdict:
    """Verify a transition in the current process, with at most `SECONDS` of CPU time for its runs."""
    steps.begin("")
    options = replace(QUICK, deadline=time.thread_time() + SECONDS)
    pipelines = (tuple(map(_snapshots, (linked.before, linked.after))) for linked in unit.linked)
    snapshot_verdict = compare_snapshots(
        _runnable(unit.before),
        _runnable(unit.after),
        unit.pass_name,
        options,
        losses=unit.losses,
        pipelines=pipelines,
    )
    if isinstance(snapshot_verdict.verdict, Different):
        snapshot_verdict = _with_other_stages(unit, snapshot_verdict, options)
        if unit.unprinted and isinstance(snapshot_verdict.verdict, Different):
            made = ", ".join(unit.unprinted)
            reason = f"{unit.pass_name} cannot make {made}: a step that the log does not print ran before it"
            return plain_verdict(SnapshotVerdict(Unchecked(reason)))
    return plain_verdict(snapshot_verdict)


def values_of_unit(unit: TransitionUnit) -> DifferenceValues | None:
    """Return all values of both snapshots where they differ; None if the two alone do not."""
    options = replace(QUICK, deadline=time.thread_time() + SECONDS)
    before, after = _runnable(unit.before), _runnable(unit.after)
    found = compare_snapshots(before, after, unit.pass_name, options, losses=unit.losses)
    return difference_values(before, after, found)


def plain_verdict(found: SnapshotVerdict) -> TransitionVerdict:
    """Convert a verdict to a `TransitionVerdict`."""
    match found.verdict:
        case Different(example):
            return TransitionVerdict("different", found.reason, example, found.instruction)
        case Equivalent():
            return TransitionVerdict("equivalent", found.reason, tried=plain_coverage(found.verdict))
    return TransitionVerdict("unchecked", found.reason)


def _with_other_stages(
    unit: TransitionUnit, found: SnapshotVerdict, options: VerificationOptions
) -> SnapshotVerdict:
    """Verify the whole pipeline if a pass may also have changed another stage.

    The log does not say which of the pipelines is the right one: they differ if all of them do.
    """
    rule = rule_of(unit.pass_name)
    others: list[SnapshotVerdict] = []
    for linked in unit.linked:
        steps.begin("")
        verdict = compare_linked_snapshots(_snapshots(linked.before), _snapshots(linked.after), options)
        result = SnapshotVerdict(verdict, LINKED, found.instruction)
        if isinstance(verdict, Equivalent):
            return result
        others.append(result)
    if others:
        return next((one for one in others if isinstance(one.verdict, Unchecked)), others[0])
    return SnapshotVerdict(Unchecked(f"{unit.pass_name} {rule.what}")) if rule.links else found


@lru_cache(_KEPT)
def _runnable(text: bytes) -> RunnableSnapshot:
    return RunnableSnapshot(parse_dump(text))


def _snapshots(texts: Sequence[bytes]) -> list[RunnableSnapshot]:
    return [_runnable(text) for text in texts]


def verify_in(worker: Worker, unit: TransitionUnit) -> TransitionVerdict:
    """Verify a transition in a worker process; the verdict is "unchecked" if the job fails.

    Raises JobFailedError if the worker was stopped.
    """
    try:
        return worker.call(None, verify_unit, unit)
    except JobFailedError as error:
        if error.cause is Cause.STOPPED:
            raise
        return TransitionVerdict("unchecked", f"{_FAILED}{error.detail or error.cause.value}")


def _is_kept(found: TransitionVerdict) -> bool:
    return not found.reason.startswith(_FAILED)


VERIFY: Work[TransitionUnit, TransitionVerdict] = Work(verify_unit, verify_in, TransitionVerdict, _is_kept)
"""Verdicts on transitions."""
