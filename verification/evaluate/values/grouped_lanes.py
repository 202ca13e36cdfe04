"""Lanes brought into the order of the groups that they form, which arrays can work in."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array


class GroupedLanes:
    """Lanes sorted by the number of their group; those of one group stay in their order.

    `order` are their positions before, `groups` their group numbers. `is_first` marks the first lane of each
    group; `starts` and `ends` are the positions of the first and the last lane of each group.
    """

    __slots__ = ("_lengths", "ends", "groups", "is_first", "lanes", "order", "starts")

    def __init__(self, groups: Array, lanes: Array) -> None:
        self.order: Array = np.argsort(groups, kind="stable")
        self.groups: Array = groups[self.order]
        self.lanes: Array = lanes[self.order]
        self.is_first: Array = np.ones(len(groups), np.bool_)
        is_last = self.is_first.copy()
        self.is_first[1:] = is_last[:-1] = self.groups[1:] != self.groups[:-1]
        self.starts: Array = np.nonzero(self.is_first)[0]
        self.ends: Array = np.nonzero(is_last)[0]
        self._lengths: Array = self.ends - self.starts + 1

    def __len__(self) -> int:
        return len(self.groups)

    def combine(self, operation: np.ufunc, values: Array) -> Array:
        """Combine the values of the lanes of each group; the last axis of `values` is that of the lanes."""
        if not len(self):
            return values
        combined: Array = operation.reduceat(values, self.starts, axis=-1)
        return combined

    def of_groups(self, values: Array) -> Array:
        """Return for each lane the value of its group; the last axis of `values` is that of the groups."""
        return np.repeat(values, self._lengths, axis=-1)

    def of_first(self, values: Array) -> Array:
        """Return for each lane the value of the first lane of its group."""
        return self.of_groups(values[self.starts])

    def turns(self) -> Array:
        """Return for each lane how many of its group come before it."""
        number = np.arange(len(self))
        earlier: Array = number - self.of_first(number)
        return earlier

    def at_turns(self) -> list[tuple[Array, Array]]:
        """Return the lanes that have each turn, and the numbers of their groups."""
        found = []
        for turn in range(int(self._lengths.max(initial=0))):
            numbers = np.nonzero(self._lengths > turn)[0]
            found.append((self.lanes[self.starts[numbers] + turn], numbers))
        return found

    def has_begun(self, marks: Array, restarts: Array | None = None) -> Array:
        """Return whether a lane, or an earlier one of its group, is marked.

        At `restarts` the earlier marks no longer count.
        """
        counts, begins = np.cumsum(marks), self.is_first
        if restarts is not None:
            begins = begins | restarts
        begun: Array = counts > np.maximum.accumulate(np.where(begins, counts - marks, 0))
        return begun

    def before(self, values: Array) -> Array:
        """Return for each lane but the first one the value of the lane before it."""
        return np.concatenate([values[:1], values[:-1]])

    def unsorted(self, values: Array) -> Array:
        """Return values of the lanes in the order from before sorting."""
        result = np.empty_like(values)
        result[self.order] = values
        return result
