"""Coverage of runs: outcomes of comparisons, executed blocks, and loop iteration counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.model.control_flow import Block, Loop
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.index_bounds import IndexBounds

LESS, EQUAL, GREATER, UNORDERED = 1, 2, 4, 8
ALL_SIDES = LESS | EQUAL | GREATER
SIDE_NAMES = {LESS: "less", EQUAL: "equal", GREATER: "greater"}

_KINDS = ("eq", "ne", "neu", "neo", "equ", "lt", "ltu", "ge", "geu", "min", "max")
COMPARISONS = frozenset(
    {f"{base}{kind}" for base in "fiu" for kind in _KINDS} | {"seq", "sne", "slt", "sge", "fsat"}
)
"""Opcodes, without their size, that depend on a comparison; `fsat` compares with 0 and 1."""


def compares(instr: AluInstr) -> bool:
    """Return whether an instruction's result depends on a comparison of its operands."""
    return instr.op.rstrip("0123456789") in COMPARISONS


def combines(instr: AluInstr) -> bool:
    """Return whether an instruction combines two conditions."""
    return instr.op in ("iand", "ior") and instr.def_ is not None and instr.def_.bit_size == 1


_OUTCOMES: dict[int, Callable[[Array, Array], Array]] = {
    LESS: np.less,
    EQUAL: np.equal,
    GREATER: np.greater,
    UNORDERED: lambda left, right: np.isnan(left + right),
}


@dataclass(slots=True)
class Compared:
    """Outcomes of each component of a comparison so far, and its operands in the last execution.

    The operands are numbers, not bits, a row for each component and a column for each lane; `mask` has the
    lanes that count.
    """

    outcomes: Array
    left: Array
    right: Array
    mask: Array

    @property
    def met(self) -> int:
        """Outcomes that every component has had."""
        return int(np.bitwise_and.reduce(self.outcomes))

    def missing(self, side: int) -> list[int]:
        """Return the components that have not had an outcome."""
        return np.nonzero((self.outcomes & side) == 0)[0].tolist()


@dataclass(slots=True)
class Indexed:
    """Numbers that an index should meet and has not, and the usable lanes in the last execution."""

    bounds: IndexBounds
    missing: tuple[int, ...]
    mask: Array | None = None

    @property
    def was_at_bounds(self) -> bool:
        """Whether the index was both the first and the last number in bounds."""
        return not {self.bounds.first, self.bounds.last} & set(self.missing)


@dataclass(slots=True)
class Coverage:
    """Coverage accumulated over all runs that share this object.

    `comparisons` and `indices` map instructions to outcomes. `rounds` has for each loop a bit each for 0, 1
    and more iterations that some lane completed. `blocks` are the blocks that some lane executed.
    """

    comparisons: dict[AluInstr, Compared] = field(default_factory=dict)
    indices: dict[Instr, Indexed] = field(default_factory=dict)
    rounds: dict[Loop, int] = field(default_factory=dict)
    blocks: set[Block] = field(default_factory=set)

    def compare(self, instr: AluInstr, left: Array, right: Array, usable: Array) -> None:
        """Record the comparison outcomes of the operands (numbers, not bits) on the usable lanes."""
        if not usable.any():
            return
        known = self.comparisons.get(instr)
        if known is None:
            outcomes = np.zeros(max(len(left), len(right)), np.uint8)
            known = self.comparisons[instr] = Compared(outcomes, left, right, usable)
        known.left, known.right, known.mask = left, right, usable
        met = known.met
        if met & ALL_SIDES == ALL_SIDES and met & UNORDERED:
            return
        first, second = left[:, usable], right[:, usable]
        for side, happens in _OUTCOMES.items():
            if not met & side and (side != UNORDERED or first.dtype.kind == "f"):
                known.outcomes[happens(first, second).any(axis=1)] |= side

    def combine(self, instr: AluInstr, truth: Array, usable: Array) -> None:
        """Record whether a combined condition was false (`LESS`) and true (`GREATER`)."""
        half = np.full(truth.shape, 0.5)
        self.compare(instr, truth, half, usable)
        if instr in self.comparisons:
            self.comparisons[instr].outcomes |= EQUAL | UNORDERED

    def index(self, instr: Instr, bounds: IndexBounds, numbers: Array, usable: Array) -> None:
        """Record which of the numbers to meet an index was on the usable lanes."""
        if not usable.any():
            return
        known = self.indices.setdefault(instr, Indexed(bounds, bounds.to_meet))
        known.mask = usable
        if known.missing:
            met = numbers[usable]
            known.missing = tuple(number for number in known.missing if not (met == number).any())

    def leave(self, loop: Loop, rounds: int) -> None:
        """Record that some lane left a loop after that many complete iterations."""
        self.rounds[loop] = self.rounds.get(loop, 0) | 1 << min(rounds, 2)
