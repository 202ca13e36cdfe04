"""The sets of lanes of a run: which run, which have ended, and whose effects mean nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, either

UNDECIDED = -2
"""Value of `came_from` for a lane that ran both branches of an if: no phi has a src for it."""


@dataclass(slots=True)
class LaneMasks:
    """Masks with one boolean per lane.

    `active` are the running lanes, `running` is whether there are any. `came_from` is the number of the block
    that each lane ran last, for phis. Lanes that were `terminated` run no more, those that were `demoted` run
    as helper invocations. What `poisoned` lanes do from here on is undefined, because their control flow
    depends on an undefined value; `given_up` are those of them that were stopped, by reason. The control flow
    of `fragile` lanes depends on rounding. `astray` are lanes that stored to an undefined place. `undecided`
    run both branches of an if because its condition is undefined (see `State.enter_branches`), None for
    nowhere; `rejoined` have run past such an if.
    """

    active: Array
    running: bool
    came_from: Array
    poisoned: Array
    terminated: Array
    demoted: Array
    rejoined: Array
    fragile: Array
    astray: Array
    undecided: Array | None = None
    given_up: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, launch: Launch) -> LaneMasks:
        """Return the masks at the start of a run."""
        active: Array = launch.is_alive.copy()
        nobody: Array = np.zeros((5, launch.lanes), np.bool_)
        came_from: Array = np.full(launch.lanes, -1, np.int32)
        first = active, bool(active.any()), came_from, launch.is_lost.copy()
        return cls(*first, nobody[0], nobody[1], nobody[2], nobody[3], nobody[4])

    def set_active(self, mask: Array) -> None:
        """Set the running lanes."""
        self.active = mask
        self.running = bool(mask.any())

    def effective(self) -> Array:
        """Return the running lanes with side effects, without helper invocations."""
        return self.active & ~self.demoted

    def certain(self) -> Array:
        """Return the running lanes whose control flow is defined."""
        lanes: Array = self.active & ~self.poisoned
        return lanes if self.undecided is None else lanes & ~self.undecided

    @property
    def counts_as_run(self) -> bool:
        """Whether what runs now counts for coverage: not if no lane is certain to come here."""
        return self.undecided is None or bool(self.certain().any())

    def mark_poisoned(self, mask: Array) -> None:
        """Mark lanes whose control flow depends on an undefined value; their later effects are undefined."""
        self.poisoned = self.poisoned | mask

    def mark_fragile(self, mask: Array) -> None:
        """Mark lanes whose control flow a rounding difference could have changed."""
        self.fragile = self.fragile | mask

    def give_up(self, lanes: Array, reason: str) -> None:
        """Mark the effects of these lanes as undefined from here on, and record the reason."""
        self.mark_poisoned(lanes)
        self.given_up[reason] = lanes | self.given_up.get(reason, np.zeros(len(lanes), np.bool_))

    def note_lost_store(self, marks: Marks, active: Array, *, is_private: bool = False) -> None:
        """Mark lanes that store to a location with marks: their later effects are not compared.

        Those of other lanes may be affected too, unless the memory is private to the lane.
        """
        if marks.poison is not None:
            self.mark_poisoned(active & marks.poison)
            if not is_private:
                self.astray = self.astray | (active & marks.poison)
        if marks.fragile is not None:
            self.mark_fragile(active & marks.fragile)

    def decide(self, condition: Value) -> Array:
        """Return the lanes on which a branch condition is true; mark undefined and fragile conditions."""
        truth: Array = condition.bits[0] != 0
        if condition.poison is not None:
            self.mark_poisoned(self.active & condition.poison[0])
        if condition.fragile is not None:
            self.mark_fragile(self.active & condition.fragile[0])
        return truth

    def stored(self, value: Value) -> Value:
        """Return a value as it is stored: undefined on lanes of which it is not known whether they store."""
        if self.undecided is None:
            return value
        poison = either(value.poison, np.broadcast_to(self.undecided, value.bits.shape))
        return Value(value.bits, value.bit_size, poison, value.error, value.fragile)
