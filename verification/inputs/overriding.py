"""Overrides of values on both sides alike, for outcomes that neither solving nor search has reached.

A comparison of computed floats is hardly ever equal, and if it is, rounding excuses the result; a conjunction
of rare conditions is hardly ever true. In a recorded run, the operand of such a comparison is set to the
value of the other one, or the condition to the missing truth, in one draw; the corresponding value of the
other side is set to the same. No input is known to give these values, so a difference that only they show
makes a verdict unchecked.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.model.control_flow import Block, If
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.coverage import EQUAL, GREATER, LESS, Compared, Coverage, combines
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Override, Value
from nirls.verification.inputs.input_kinds import STEERED
from nirls.verification.inputs.recorded import Recorded

_DRAWS_OF_CHANGED = 3
"""Number of draws in which a changed comparison is overridden: other conditions may hide it in some."""

_SIDES = {EQUAL: "equal", LESS: "false", GREATER: "true"}


@dataclass(frozen=True, slots=True)
class Overridden:
    """An outcome that is set in one draw: `found` is the comparison's coverage, None for a branch."""

    name: str
    found: Compared | None
    side: int


@dataclass(slots=True)
class Overrides:
    """The values to set on each side, and the outcome that each draw stands for."""

    before: dict[Def, list[Override]] = field(default_factory=dict)
    after: dict[Def, list[Override]] = field(default_factory=dict)
    of_draw: dict[int, Overridden] = field(default_factory=dict)

    def name_of(self, draw: int | None) -> str:
        """Return the outcome of a draw in words, or all of them."""
        if draw in self.of_draw:
            return self.of_draw[draw].name
        return ", ".join(overridden.name for overridden in self.of_draw.values())


def overrides(
    before: Sequence[Machine],
    after: Sequence[Machine],
    coverage: Sequence[Coverage],
    recorded: Sequence[Recorded],
    reached: Container[Block],
    before_of: Mapping[Def, Def],
) -> Overrides:
    """Choose what to set, one outcome a draw, for outcomes that were not met in any run.

    `recorded` has the values of both sides at the end of the run that is to be repeated, `reached` the
    blocks before the pass that ran, `before_of` the value before the pass for each value after it.
    """
    found = Overrides()
    stages = {one.machine: one for one in recorded}
    for machine, other in zip(before, after, strict=True):
        old, new = stages.get(machine), stages.get(other)
        if old is None or new is None or len(old.draw) != len(new.draw):
            continue
        pair = _Pair(old, new, found, before_of, is_linked=len(before) > 1)
        for instr, compared in coverage[0].comparisons.items():
            pair.add(instr, compared, is_after=False)
        for instr, compared in coverage[1].comparisons.items():
            pair.add(instr, compared, is_after=True)
        for name, condition, truth in _conditions_not_met(machine, reached):
            pair.set_truth(condition, truth, Overridden(name, None, GREATER if truth else LESS))
    return found


class _Pair:
    """A stage on both sides, with the values that correspond."""

    def __init__(
        self,
        before: Recorded,
        after: Recorded,
        found: Overrides,
        before_of: Mapping[Def, Def],
        *,
        is_linked: bool,
    ) -> None:
        self.sides = (before, after)
        self.found = found
        self.before_of = before_of
        self.after_of = {old: new for new, old in before_of.items()}
        self.is_linked = is_linked
        self._done: set[tuple[Def, int, int]] = set()

    def add(self, instr: AluInstr, compared: Compared, *, is_after: bool) -> None:
        """Set what a comparison or combination of conditions has not met, if that is plausible.

        Where an operand was both less and greater than the other, it can probably be equal.
        """
        side = self.sides[is_after]
        if instr.def_ is None or instr.def_ not in side.values:
            return
        name = f"{'after' if is_after else 'before'} {side.machine.name_of(instr.def_)} {instr.op}"
        if combines(instr):
            for outcome in (LESS, GREATER):
                for row in compared.missing(outcome):
                    what = Overridden(f"{name}: {_SIDES[outcome]}", compared, outcome)
                    self.set_truth(self._old(instr.def_, is_after), outcome == GREATER, what, row)
            return
        if self.is_linked and not self._stays_in_stage(instr, is_after):
            return
        if len(instr.sources) != 2 or any(src.negate or src.abs for src in instr.sources):
            return
        is_changed = self._is_changed(instr, is_after)
        what = Overridden(f"{name}: equal", compared, EQUAL)
        for row, met in enumerate(compared.outcomes.tolist()):
            if not (met & LESS and met & GREATER) or (met & EQUAL and not is_changed):
                continue
            for _ in range(_DRAWS_OF_CHANGED if is_changed else 1):
                for src, other in (instr.sources, instr.sources[::-1]):
                    if self._set_equal(src, other, row, is_after, what):
                        break

    def _stays_in_stage(self, instr: AluInstr, is_after: bool) -> bool:
        """Whether the other side compares such values here too, and not in another stage.

        The values of the other stage that a moved comparison depends on are not overridden.
        """
        assert instr.def_ is not None
        twin = (self.before_of if is_after else self.after_of).get(instr.def_)
        other = None if twin is None else twin.instr
        if not isinstance(other, AluInstr):
            return False
        first, second = opcode(instr.op), opcode(other.op)
        return first is not None and second is not None and first.input_types == second.input_types

    def _is_changed(self, instr: AluInstr, is_after: bool) -> bool:
        """Whether the other side has no such comparison of the same values."""
        assert instr.def_ is not None
        twin = (self.before_of if is_after else self.after_of).get(instr.def_)
        other = None if twin is None else twin.instr
        if not isinstance(other, AluInstr) or other.op != instr.op:
            return True
        pairs = zip(instr.sources, other.sources, strict=True)
        return any(
            self._old(src.def_, is_after) is not self._old(opposite.def_, not is_after)
            or src.swizzle != opposite.swizzle
            for src, opposite in pairs
        )

    def _old(self, value: Def | None, is_after: bool) -> Def | None:
        return self.before_of.get(value) if is_after and value is not None else value

    def _set_equal(self, src: AluSrc, other: AluSrc, row: int, is_after: bool, what: Overridden) -> bool:
        if src.def_ is None or other.def_ is None or isinstance(src.def_instr, LoadConstInstr):
            return False
        component, opposite_component = (one.swizzle[min(row, len(one.swizzle) - 1)] for one in (src, other))
        bits = _row(self.sides[is_after].values.get(other.def_), opposite_component)
        mask = None if what.found is None else what.found.mask
        if bits is None or mask is None or len(mask) != len(bits):
            return False
        lanes = self._set(self._old(src.def_, is_after), component, bits, mask, what)
        if lanes is None:
            return False
        # Without the error bound of the other operand too: it would make the comparison uncertain. Not where
        # the other side has no such value, as a phi that became a register: it would go on without it.
        opposite = self._old(other.def_, is_after)
        if opposite in self.after_of and not isinstance(opposite.instr, LoadConstInstr):
            self._add(opposite, Override(opposite_component, lanes, bits))
        return True

    def set_truth(self, condition: Def | None, truth: bool, what: Overridden, row: int = 0) -> None:
        """Set a condition before the pass, and the corresponding one after it."""
        if condition is None or isinstance(condition.instr, LoadConstInstr):
            return
        bits = (1 << condition.bit_size) - 1 if truth else 0
        lanes = len(self.sides[0].draw)
        self._set(condition, row, np.full(lanes, bits, np.uint64), np.ones(lanes, np.bool_), what)

    def _set(self, old: Def | None, row: int, bits: Array, mask: Array, what: Overridden) -> Array | None:
        """Set a component of a value in a free draw in which both sides have had the same there.

        Return the lanes; None if there is no such draw.
        """
        new = None if old is None else self.after_of.get(old)
        is_done = (old, row, what.side) in self._done and what.side != EQUAL
        if old is None or new is None or is_done:
            return None
        before, after = self.sides
        agreed = _agreed(before.values.get(old), after.values.get(new), row)
        for draw in range(len(STEERED)):
            lanes: Array = agreed & (before.draw == draw)
            if draw not in self.found.of_draw and (lanes & mask).any():
                self._add(old, Override(row, lanes, bits))
                self.found.of_draw[draw] = what
                self._done.add((old, row, what.side))
                return lanes
        return None

    def _add(self, old: Def, override: Override) -> None:
        self.found.before.setdefault(old, []).append(override)
        self.found.after.setdefault(self.after_of[old], []).append(override)


def _agreed(first: Value | None, second: Value | None, row: int) -> Array:
    """Return the lanes on which a component of two values is defined and the same."""
    agreed: Array = np.ones(1, np.bool_)
    for value in (first, second):
        if value is None or value.pointer is not None or row >= len(value.bits):
            return np.zeros(1, np.bool_)
        if value.poison is not None:
            agreed = agreed & ~value.poison[row]
    assert first is not None
    assert second is not None
    same: Array = agreed & (first.bits[row] == second.bits[row])
    return same


def _row(value: Value | None, row: int) -> Array | None:
    """Return the bits of a component; None for a pointer or an unknown value."""
    if value is None or value.pointer is not None or row >= len(value.bits):
        return None
    bits: Array = value.bits[row]
    return bits


def _conditions_not_met(machine: Machine, reached: Container[Block]) -> Iterator[tuple[str, Def, bool]]:
    """Return the conditions of ifs of which only one side ran, with the truth that is missing."""
    entry = machine.shader.entrypoint
    for node in () if entry is None else entry.cf_nodes():
        if not isinstance(node, If) or node.condition.def_ is None:
            continue
        sides = [body[0] in reached for body in (node.then_body, node.else_body) if body]
        if len(sides) == 2 and sides[0] != sides[1]:
            truth = not sides[0]
            name = f"before if {machine.name_of(node.condition.ssa)}: {'true' if truth else 'false'}"
            yield name, node.condition.ssa, truth
