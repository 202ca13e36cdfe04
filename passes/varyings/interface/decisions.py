"""Record of the decisions of a linking run: what each step did to a varying, or why it did nothing.

The steps write while they decide. `ledger` turns the record of a pair into one line a scalar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from nirls.passes.varyings.interface.accesses import Linked, name_of_half

_DEAD_CODE = "its accesses are dead code"


class Step(StrEnum):
    """The steps of a linking run."""

    ACCESS = "access"
    DEAD = "dead varyings"
    PROPAGATION = "propagation"
    DEDUPLICATION = "deduplication"
    BACKWARD = "backward motion"
    FORWARD = "forward motion"
    PACKING = "packing"


class Fate(StrEnum):
    """The effect of a step on one scalar."""

    REMOVED = "removed"
    UNWRITTEN = "unwritten"
    PROPAGATED = "propagated"
    DEDUPLICATED = "deduplicated"
    MOVED_TO_PRODUCER = "moved into the producer"
    MOVED_TO_CONSUMER = "moved into the consumer"
    RESULT = "replaced"
    NO_VARYING = "no varying"
    PACKED = "packed"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class StepObstacle:
    """The reason why a step leaves a scalar as it is.

    `code` is stable. `unless` is the only condition that is missing, worded to follow "could go if"; "" if
    more conditions may be missing. `cost` and `limit` are set if a limit of the driver decided.
    """

    step: Step
    code: str
    message: str
    unless: str = ""
    cost: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class StepEffect:
    """The effect of a step on a scalar."""

    step: Step
    fate: Fate
    message: str


@dataclass(eq=False, slots=True)
class Record:
    """The decisions on one scalar, which was at half (or payload byte) `number` before the run.

    `place` is where it is now, None once it is gone. `obstacles` are those of the last round, by step.
    """

    number: int
    bit_size: int
    place: int | None
    was_read: bool = False
    effects: list[StepEffect] = field(default_factory=list)
    obstacles: dict[Step, StepObstacle] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Journal:
    """The records of a pair of stages, by half, and the obstacles that apply to all of them."""

    records: dict[int, Record] = field(default_factory=dict)
    notes: dict[Step, StepObstacle] = field(default_factory=dict)
    _now: dict[int, Record] = field(default_factory=dict)

    def begin(self, linkage: Linked) -> None:
        """Start a round: the first one opens a record for each scalar, later ones drop old obstacles."""
        if self.records:
            self.finish(linkage)
            for record in self._now.values():
                record.obstacles.clear()
            return
        for number, bit_size, is_read, is_upper in linkage.scalars():
            if is_upper:
                continue
            record = self.records.setdefault(number, Record(number, bit_size, number))
            record.was_read |= is_read
        self._now = dict(self.records)

    def origin(self, number: int, bit_size: int) -> str:
        """Return the name that a scalar, now at half `number`, had before the run."""
        record = self._now.get(number)
        return name_of_half(number if record is None else record.number, bit_size)

    def obstruct(self, numbers: Iterable[int], obstacle: StepObstacle) -> None:
        """Record why a step leaves scalars as they are."""
        for number in numbers:
            record = self._now.get(number)
            if record is not None:
                record.obstacles[obstacle.step] = obstacle

    def affect(self, numbers: Iterable[int], step: Step, fate: Fate, message: str, *, gone: bool) -> None:
        """Record what a step did to scalars; they are `gone` if the interface no longer holds them."""
        for number in numbers:
            record = self._now.get(number)
            if record is None:
                continue
            record.obstacles.pop(step, None)
            record.effects.append(StepEffect(step, fate, message))
            if gone:
                record.place = None
                del self._now[number]

    def move(self, places: Mapping[int, int]) -> None:
        """Record the new halves of scalars that packing moves, all at once."""
        moved = {new: self._now.pop(old) for old, new in places.items() if old in self._now}
        # What was there has lost its accesses in the same round.
        self.affect(moved, Step.DEAD, Fate.REMOVED, _DEAD_CODE, gone=True)
        for new, record in moved.items():
            record.place = new
        self._now.update(moved)

    def finish(self, linkage: Linked) -> None:
        """End the records of scalars whose last access clean-up has removed."""
        live = {scalar.number for scalar in linkage.scalars()}
        dead = [number for number in self._now if number not in live]
        self.affect(dead, Step.DEAD, Fate.REMOVED, _DEAD_CODE, gone=True)
