"""Effects of a chain of blocks in the order in which they happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

Key = tuple[Hashable, ...]
"""What an instruction does, from its name on."""


@dataclass(slots=True)
class Events:
    """The events of a chain, in order: hard ones must correspond, soft ones may be missing after."""

    pair: int
    hard: list[Key] = field(default_factory=list)
    soft: list[Key] = field(default_factory=list)
    times: Counter[Hashable] = field(default_factory=Counter)

    def place(self) -> Hashable:
        """Return the place among the hard events, for results that depend on it."""
        return self.pair, len(self.hard)

    def in_order(self, keys: Sequence[Key]) -> list[Key]:
        """Add soft events; return keys that tell their results from equal ones elsewhere.

        Two clocks differ, and so do two registers of the same form.
        """
        placed: list[Key] = []
        for key in keys:
            at = (key, self.place())
            self.times[at] += 1
            placed.append((at, self.times[at]))
        self.soft += placed
        return placed

    def may_correspond(self, after: Events) -> bool:
        """Whether `after` has as many hard events, of the same instructions."""
        if len(self.hard) != len(after.hard):
            return False
        pairs = zip(self.hard, after.hard, strict=True)
        return all(one[0] == other[0] for one, other in pairs)

    def corresponds(self, after: Events) -> bool:
        """Whether `after` has the same hard events, and no soft ones but these."""
        if self.hard != after.hard:
            return False
        expected = iter(self.soft)
        return all(event in expected for event in after.soft)
