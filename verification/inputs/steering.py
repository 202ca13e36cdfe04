"""Inputs that change the outcome of comparisons, solved backwards from the operands of a recorded run.

With random inputs, a comparison such as `mode == 3` or `depth < 0.1` hardly ever has all three outcomes. A
run whose inputs are the same at all corners of a primitive (`input_kinds.STEERED`) is recorded. From an
operand of the comparison the search goes back to a value that the environment supplies (`input_search`). That
place is pinned to the solution in the next run.

A comparison that only one side has, or whose operands differ between the sides, is steered to equality, also
if it was met: where an operand differs by one unit in the last place, the outcome differs only there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.model.instructions import AluInstr, Instr, LoadConstInstr
from nirls.ir.model.values import Def
from nirls.verification.evaluate.state.coverage import (
    EQUAL,
    GREATER,
    LESS,
    Compared,
    Coverage,
    Indexed,
    combines,
)
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.inputs.constants import Constants
from nirls.verification.inputs.input_kinds import STEERED, RandomEnvironment
from nirls.verification.inputs.input_search import InputSearch, Operand, Pins, operand_of
from nirls.verification.inputs.inverses import WAYS, number_beside
from nirls.verification.inputs.recorded import Recorded

TURNS = 3
"""Maximum number of runs after the recorded one."""

_ATTEMPTS = 6
"""Maximum number of attempts for each target: an operation on the way may round."""


@dataclass(frozen=True, slots=True)
class Target:
    """Outcome of a component of a comparison (less, equal or greater), or number of an index, to reach."""

    instr: Instr
    side: int
    component: int = 0


@dataclass(slots=True)
class Steering:
    """Pins of each draw of the next run, the number of attempts for each target, and the recorded run."""

    seed: int
    constants: Constants
    specials_met: dict[object, int]
    pins: list[Pins] = field(default_factory=lambda: [{} for _ in STEERED])
    _tried: dict[Target, int] = field(default_factory=dict)
    recorded: list[Recorded] = field(default_factory=list)

    def environment(self) -> RandomEnvironment:
        """Return the inputs of the next run."""
        self.recorded = []
        return RandomEnvironment(
            self.seed,
            kinds=STEERED,
            constants=self.constants,
            specials_met=self.specials_met,
            pins={place: bits for draw in self.pins for place, bits in draw.items()},
            answers=[],
        )

    def aim(
        self, environment: RandomEnvironment, sides: Sequence[Coverage], before_of: Mapping[Def, Def]
    ) -> bool:
        """Set pins so that the next run reaches more targets; return false if none could be set.

        Each target is attempted in one draw, then again in other ways in the draws that are left.
        `before_of` has the value before the pass for each value after it.
        """
        free = set(range(len(STEERED)))
        differing = _differing(sides, before_of)
        for _ in range(_ATTEMPTS):
            for coverage in sides:
                for instr, compared in coverage.comparisons.items():
                    for side in (EQUAL, LESS, GREATER):
                        for component in compared.missing(side):
                            target = Target(instr, side, component)
                            self._attempt(target, compared, compared.mask, free, environment)
                for indexing, indexed in coverage.indices.items():
                    self._attempt_bounds(indexing, indexed, free, environment)
            for target, compared, mask in differing:
                self._attempt(target, compared, mask, free, environment)
        return len(free) < len(STEERED)

    def _attempt(
        self,
        target: Target,
        compared: Compared,
        mask: Array,
        free: set[int],
        environment: RandomEnvironment,
    ) -> None:
        """Pin inputs for an outcome of a comparison on a lane in the mask, in one of the free draws."""
        stage = next((recorded for recorded in self.recorded if target.instr.def_ in recorded.values), None)
        if stage is None or len(mask) != len(stage.draw):
            return
        attempt = self._tried.get(target, 0)
        lane = None if attempt >= _ATTEMPTS else _lane_in(free, mask, stage.draw)
        if lane is None:
            return
        self._tried[target] = attempt + 1
        found = self._solve(target, compared, stage, lane, attempt, environment)
        self._pin(found, int(stage.draw[lane]), free)

    def _attempt_bounds(
        self, instr: Instr, indexed: Indexed, free: set[int], environment: RandomEnvironment
    ) -> None:
        value = indexed.bounds.src.ssa
        stage = next((recorded for recorded in self.recorded if value in recorded.values), None)
        if stage is None or indexed.mask is None or len(indexed.mask) != len(stage.draw):
            return
        for number in indexed.missing:
            target = Target(instr, number)
            lane = _lane_in(free, indexed.mask, stage.draw)
            if lane is None or target in self._tried:
                continue
            self._tried[target] = 1
            found = InputSearch(self.recorded, environment, stage, lane).pins(
                Operand(value, 0, value.bit_size), number
            )
            self._pin(found, int(stage.draw[lane]), free)

    def _pin(self, pins: Pins | None, draw: int, free: set[int]) -> None:
        if pins is not None:
            free.discard(draw)
            self.pins[draw].update(pins)

    def _solve(
        self,
        target: Target,
        compared: Compared,
        stage: Recorded,
        lane: int,
        attempt: int,
        environment: RandomEnvironment,
    ) -> Pins | None:
        """Return pins for a comparison to have the wanted outcome; None if no solution is found."""
        instr, side, component = target.instr, target.side, target.component
        if not isinstance(instr, AluInstr):
            return None
        sources = instr.sources
        search = InputSearch(self.recorded, environment, stage, lane)
        if combines(instr) and instr.def_ is not None:
            return search.pins(Operand(instr.def_, component, 1), int(side == GREATER))
        order = (0, 1) if attempt % 2 == 0 else (1, 0)
        for number in order:
            if number >= len(sources):
                continue
            src, other = sources[number], (compared.right, compared.left)[number]
            if src.def_ is None or isinstance(src.ssa.instr, LoadConstInstr):
                continue
            own = side if number == 0 else {LESS: GREATER, GREATER: LESS}.get(side, EQUAL)
            opposite = other[min(component, len(other) - 1), lane]
            wanted = number_beside(opposite, own, src.bit_size, attempt)
            if wanted is None:
                continue
            found = search.pins(operand_of(src, component), wanted)
            if found is not None:
                return {place: _nudged(bits, src.bit_size, attempt) for place, bits in found.items()}
        return None


def _differing(
    sides: Sequence[Coverage], before_of: Mapping[Def, Def]
) -> list[tuple[Target, Compared, Array]]:
    """Return equality of the comparisons that differ between the sides, each with the lanes on which it does.

    One side may have no such comparison, or compare other numbers.
    """
    before, after = (coverage.comparisons for coverage in sides)
    found = []
    paired = set()
    for instr, compared in after.items():
        old = None if instr.def_ is None else before_of.get(instr.def_)
        twin = None if old is None else old.instr
        if not isinstance(twin, AluInstr) or twin not in before or twin.op != instr.op:
            continue
        paired |= {twin, instr}
        if combines(instr):
            continue
        for component, lanes in enumerate(_differing_lanes(compared, before[twin])):
            if lanes.any():
                found += [
                    (Target(twin, EQUAL, component), before[twin], lanes),
                    (Target(instr, EQUAL, component), compared, lanes),
                ]
    for comparisons in (before, after):
        for instr, compared in comparisons.items():
            if instr not in paired and not combines(instr):
                rows = range(len(compared.outcomes))
                found += [(Target(instr, EQUAL, row), compared, compared.mask) for row in rows]
    return found


def _differing_lanes(one: Compared, other: Compared) -> Array:
    """Return the lanes on which both sides compare other numbers, a row for each component.

    No rows if the sides have other lanes or components.
    """
    differs: Array = np.zeros((len(one.outcomes), len(one.mask)), np.bool_)
    for row, opposite in ((one.left, other.left), (one.right, other.right)):
        if row.shape != opposite.shape or one.mask.shape != other.mask.shape:
            return differs[:0]
        # NaN is not equal to itself.
        differs |= (row != opposite) & (row == row) & (opposite == opposite)
    return differs & one.mask & other.mask


def _lane_in(free: set[int], mask: Array, draw: Array) -> int | None:
    """Return the first lane in the mask whose draw is free; None if there is none."""
    is_free = np.zeros(len(STEERED), np.bool_)
    is_free[list(free)] = True
    lanes = np.nonzero(mask & is_free[draw])[0]
    return int(lanes[0]) if len(lanes) else None


def _nudged(bits: int, bit_size: int, attempt: int) -> int:
    """Return the solution, or one of its neighbours in case an operation on the way rounds."""
    step = (0, 1, -1)[attempt % WAYS]
    return (bits + step) & ((1 << bit_size) - 1)
