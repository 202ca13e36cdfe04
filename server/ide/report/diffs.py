"""Diffs of the passes of a log, computed in worker processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.batch.work import Work, content_key
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import Worker
from nirls.server.ide.history.snapshot_diff import snapshot_texts
from nirls.server.ide.report.contents import PassDiff, pass_diff

_UNIT_SIZE = 200_000
"""Bytes of dumps from which a unit takes no further pair."""

Pair = tuple[bytes, bytes]
"""The texts of a shader before and after a pass."""


@dataclass(frozen=True, slots=True)
class DiffUnit:
    """Pairs of snapshots to compare; `numbers` are their places in the list that was divided."""

    numbers: range
    pairs: tuple[Pair, ...]

    @property
    def size(self) -> int:
        """Bytes to read."""
        return sum(len(after) for _, after in self.pairs)

    def key(self, program: str) -> str:
        """Hash of all inputs of the result."""
        return content_key(program, (text for pair in self.pairs for text in pair))


def diff_units(pairs: Sequence[Pair]) -> Iterator[DiffUnit]:
    """Divide pairs into units; two pairs with a dump in common, one after the other, read it once."""
    start = size = 0
    for number, (_, after) in enumerate(pairs, 1):
        size += len(after)
        if size >= _UNIT_SIZE or number == len(pairs):
            yield DiffUnit(range(start, number), tuple(pairs[start:number]))
            start, size = number, 0


def diffs_of(unit: DiffUnit) -> tuple[PassDiff, ...]:
    """Compute the diffs of a unit in the current process."""
    found = []
    last: tuple[bytes, Shader] | None = None
    for before, after in unit.pairs:
        steps.begin("")
        first = last[1] if last is not None and last[0] == before else parse_dump(before)
        last = after, parse_dump(after)
        found.append(pass_diff(snapshot_texts(first, last[1])))
    return tuple(found)


def _diffs_in(worker: Worker, unit: DiffUnit) -> tuple[PassDiff, ...]:
    try:
        return worker.call(None, diffs_of, unit)
    except JobFailedError as error:
        if error.cause is Cause.STOPPED:
            raise
        return diffs_of(unit)  # without the limits of a worker


DIFFS: Work[DiffUnit, tuple[PassDiff, ...]] = Work(diffs_of, _diffs_in, tuple[PassDiff, ...], lambda _: True)
"""Diffs of passes."""
