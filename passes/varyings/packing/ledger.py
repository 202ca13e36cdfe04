"""Ledger of a pair of linked stages: for each scalar varying, what linking did to it or why it stays.

The lines are made of the journal that the steps of `opt_varyings` fill while they decide (`decisions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nirls.passes.varyings.interface.accesses import Linked
from nirls.passes.varyings.interface.decisions import Fate, Journal, Record, Step, StepEffect, StepObstacle

_OBSTACLE_ORDER = (Step.FORWARD, Step.BACKWARD, Step.DEDUPLICATION, Step.PROPAGATION, Step.PACKING)
"""Steps in the order in which their obstacles are named first; ACCESS and limits come before them."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """The changes that linking made to one scalar varying.

    `number` is its half before the run (see `scalar_slots`), or its first byte in a payload; `place` is its
    name afterwards, "" if it is no longer stored. `value` is its variable or the stored value. `effects` are
    in the order of the steps. `reason` says what the effects are, or which obstacles keep it.
    """

    number: int
    name: str
    value: str
    place: str
    fate: Fate
    reason: str
    effects: tuple[StepEffect, ...] = ()
    obstacles: tuple[StepObstacle, ...] = ()
    bit_size: int = 32

    @property
    def text(self) -> str:
        """The line as one sentence: `VAR1.x packed to VAR0.z: not moved into the VS: ...`."""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.name} {self.fate}{self.where}{reason}"

    @property
    def where(self) -> str:
        """Its new place, ` to VAR0.z`; "" if it has none."""
        if not self.place or self.place == self.name:
            return ""
        return f" to {self.place}" if self.fate is Fate.PACKED else f" in {self.place}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The lines of a pair by slot, and the obstacles that apply to all of them."""

    lines: tuple[LedgerLine, ...] = ()
    notes: tuple[StepObstacle, ...] = ()

    def lines_at(self, location: int, component: int) -> list[LedgerLine]:
        """Return the lines of the scalars that were in a component of a slot."""
        return [line for line in self.lines if line.number // 2 == location * 4 + component]

    def lines_of_bytes(self, where: range) -> list[LedgerLine]:
        """Return the lines of the parts of a payload that some bytes belong to."""
        return [
            line
            for line in self.lines
            if line.number < where.stop and where.start < line.number + line.bit_size // 8
        ]

    def could_go(self) -> str:
        """Describe the scalars that one condition keeps: `2 could go if the cost limit was 9, not 4`."""
        found: dict[str, list[StepObstacle]] = {}
        for line in self.lines:
            obstacle = next((obstacle for obstacle in line.obstacles if obstacle.unless), None)
            if obstacle is not None and line.fate in (Fate.KEPT, Fate.PACKED):
                found.setdefault(obstacle.unless, []).append(obstacle)
        return "; ".join(
            f"{len(obstacles)} could go if {_condition(obstacles)}" for obstacles in found.values()
        )


def _condition(obstacles: Sequence[StepObstacle]) -> str:
    """Return the condition that equal obstacles share, with the limit that all of them need."""
    limits = [obstacle.limit for obstacle in obstacles if obstacle.limit is not None]
    if len(limits) < len(obstacles):
        return obstacles[0].unless
    return f"the cost limit was {max(obstacle.cost or 0 for obstacle in obstacles)}, not {max(limits)}"


def ledger_of(journal: Journal, linkage: Linked, values: Mapping[int, str]) -> Ledger:
    """Return the ledger of a finished run.

    `linkage` is that of the stages after the run; `values` names the scalars before it, by half.
    """
    journal.finish(linkage)
    lines = tuple(
        _line(record, values.get(number, ""), linkage) for number, record in sorted(journal.records.items())
    )
    return Ledger(lines, tuple(journal.notes.values()))


def _line(record: Record, value: str, linkage: Linked) -> LedgerLine:
    name = linkage.name_of(record.number, record.bit_size)
    place = "" if record.place is None else linkage.name_of(record.place, record.bit_size)
    fate, obstacles = _fate(record, name, place), _by_weight(record.obstacles.values())
    return LedgerLine(
        record.number,
        name,
        value,
        place,
        fate,
        _reason(fate, record.effects, obstacles, linkage),
        tuple(record.effects),
        obstacles,
        record.bit_size,
    )


def _reason(
    fate: Fate, effects: Sequence[StepEffect], obstacles: Sequence[StepObstacle], linkage: Linked
) -> str:
    """Return the effects, or for a scalar that stays its obstacles, in one text."""
    done = list(dict.fromkeys(effect.message for effect in effects))
    if fate not in (Fate.KEPT, Fate.PACKED):
        return "; ".join(done)
    verbs = {
        Step.PROPAGATION: "not propagated: ",
        Step.DEDUPLICATION: "not deduplicated: ",
        Step.BACKWARD: f"not moved into the {linkage.producer_stage.abbreviation}: ",
        Step.FORWARD: f"not moved into the {linkage.consumer_stage.abbreviation}: ",
        Step.PACKING: "not packed: ",
    }
    return "; ".join(done + [f"{verbs.get(obstacle.step, '')}{obstacle.message}" for obstacle in obstacles])


def _fate(record: Record, name: str, place: str) -> Fate:
    fates = [effect.fate for effect in record.effects]
    if fates and (not place or fates[-1] is Fate.NO_VARYING):
        return fates[-1]
    if Fate.RESULT in fates:
        return Fate.RESULT
    return Fate.KEPT if name == place else Fate.PACKED


def _by_weight(obstacles: Iterable[StepObstacle]) -> tuple[StepObstacle, ...]:
    order = {step: number for number, step in enumerate(_OBSTACLE_ORDER)}
    return tuple(sorted(obstacles, key=lambda obstacle: (not obstacle.unless, order.get(obstacle.step, -1))))
