"""Verification of the transitions of logs and of shaders between two logs, with verdicts in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.run import Compute, results_of
from nirls.server.engine.verification.between import shared_shaders
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.verification.unit import UNCHANGED, VERIFY, TransitionUnit, TransitionVerdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two dumps of a shader to compare, both in `file`, or the second in `against` if that is not None.

    `from_line` and `line` are the first lines of the two dumps, from 0. `unit` is None for equal code.
    """

    file: str
    shader: str
    pass_name: str
    from_line: int
    line: int
    unit: TransitionUnit | None
    against: str | None = None


Verdicts = Iterator[tuple[int, TransitionVerdict]]


def comparisons_of(file: str, log: ReadLog) -> list[Comparison]:
    """Compare each snapshot of a log with the previous one."""
    return [
        Comparison(
            file,
            one.shader,
            one.pass_name,
            log.line(one.before),
            log.line(one.after),
            log.unit(one) if one.is_changed else None,
        )
        for one in log.transitions
    ]


def comparisons_between(file: str, log: ReadLog, against: str, other: ReadLog) -> list[Comparison]:
    """Compare the last snapshots of the shaders that two logs share."""
    name = f"{file} -> {against}"
    return [
        Comparison(
            file,
            shared.shader,
            name,
            log.line(shared.first),
            other.line(shared.second),
            None if log.text(shared.first) == other.text(shared.second) else shared.unit(log, other, name),
            against,
        )
        for shared in shared_shaders(log, other)
    ]


def verdicts_of(
    comparisons: Sequence[Comparison],
    cache: ResultCache | None,
    compute: Compute[TransitionUnit, TransitionVerdict],
    progress: Callable[[Verdicts, int], Verdicts],
    *,
    stop_at_first: bool = False,
) -> list[tuple[Comparison, TransitionVerdict]]:
    """Compute the verdicts of comparisons, in order; with `stop_at_first` up to the first difference.

    `progress` wraps the iterator of results; its second argument is their number.
    """
    changed = [(number, one.unit) for number, one in enumerate(comparisons) if one.unit is not None]
    found = {number: UNCHANGED for number, one in enumerate(comparisons) if one.unit is None}
    end = len(comparisons)
    results = results_of(VERIFY, [unit for _, unit in changed], cache, compute)
    for index, verdict in progress(results, len(changed)):
        number, _ = changed[index]
        found[number] = verdict
        if stop_at_first and verdict.verdict == "different":
            end = min(end, number + 1)
        if end < len(comparisons) and all(number in found for number in range(end)):
            results.close()
            break
    return [(comparisons[number], found[number]) for number in range(end)]
