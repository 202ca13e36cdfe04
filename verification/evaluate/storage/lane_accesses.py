"""The accesses that one instruction makes on all lanes, brought into an order that arrays can work in."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array


class LaneAccesses:
    """Accesses to numbered places, sorted by place; accesses to one place stay in their order, that of lanes.

    `order` are their positions before. `is_first` marks the first access to each place; `starts` and `ends`
    are the positions of the first and the last access to each place. No lane may access a place twice.
    """

    __slots__ = ("_lengths", "ends", "is_first", "lanes", "order", "places", "starts")

    def __init__(self, places: Array, lanes: Array) -> None:
        self.order: Array = np.argsort(places, kind="stable")
        self.places: Array = places[self.order]
        self.lanes: Array = lanes[self.order]
        self.is_first: Array = np.ones(len(places), np.bool_)
        is_last = self.is_first.copy()
        self.is_first[1:] = is_last[:-1] = self.places[1:] != self.places[:-1]
        self.starts: Array = np.nonzero(self.is_first)[0]
        self.ends: Array = np.nonzero(is_last)[0]
        self._lengths: Array = self.ends - self.starts + 1

    def __len__(self) -> int:
        return len(self.places)

    def of_first(self, values: Array) -> Array:
        """Return for each access the value of the first access to its place."""
        return np.repeat(values[self.starts], self._lengths)

    def has_begun(self, marks: Array, restarts: Array | None = None) -> Array:
        """Return whether an access, or an earlier one to the same place, is marked.

        At `restarts` the earlier marks no longer count.
        """
        counts, begins = np.cumsum(marks), self.is_first
        if restarts is not None:
            begins = begins | restarts
        begun: Array = counts > np.maximum.accumulate(np.where(begins, counts - marks, 0))
        return begun

    def turns(self) -> Array:
        """Return for each access how many to the same place come before it."""
        number = np.arange(len(self))
        earlier: Array = number - self.of_first(number)
        return earlier

    def before(self, values: Array) -> Array:
        """Return for each access but the first one the value of the access before it."""
        return np.concatenate([values[:1], values[:-1]])

    def changes(self, bits: Array, old: Array, is_defined: Array, undefined: Array | None) -> Array:
        """Return which accesses change the content, if they store these bits, `undefined` where marked.

        A place holds `old`, where that is defined, and then what the lanes before have stored.
        A store to undefined content changes it.
        """
        changed = self.before(bits) != bits
        if undefined is not None:
            changed |= self.before(undefined)
        changes: Array = np.where(self.is_first, ~is_defined | (old != bits), changed)
        return changes

    def unsorted(self, values: Array) -> Array:
        """Return values of the accesses in the order from before sorting."""
        result = np.empty_like(values)
        result[self.order] = values
        return result
