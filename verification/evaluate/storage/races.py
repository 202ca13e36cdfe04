"""Race detection: lanes run in lock step, so a missing barrier would not show in the results.

Invocations of a workgroup or patch that use the same place must be ordered by an execution barrier, and
a store is visible to another only if the memory was released and acquired too (the memory model of
Vulkan, which NIR's `barrier` follows). Without that order the value is undefined. Accesses of different
groups are not checked, and atomics only against plain stores and later loads.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from nirls.ir.effects.barriers import ALL_CLASSES
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.access_log import AccessLog, moments
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.surroundings.launch import WORKGROUP_STAGES, Launch
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, may_differ_by_lane

_MANY = -1
"""Stands for several lanes."""


def _many_of(group: Array) -> Array:
    """Return the numbers that stand for several lanes of these groups; its own inverse."""
    return _MANY - 1 - group


@dataclass(frozen=True, slots=True)
class Fence:
    """A memory barrier: memory classes, release and acquire, and scope (whole group or subgroup)."""

    modes: frozenset[str]
    releases: bool = True
    acquires: bool = True
    whole_group: bool = True


class LastAccesses:
    """The last store to each place of a variable, buffer or output, and the loads since, by place number.

    `reader` is a lane or `_MANY`, `writer` a lane or `_many_of` a group; `written_at` and `read_at` are
    clocks, -1 for never. The stores in the log `stores` since the moment `same_since` were all of the same
    value, the loads in the log `loads` since `read_since` came after the last store and barrier. `is_racing`
    marks where the last store raced. `mode` is the memory class.
    """

    __slots__ = (
        "is_atomic",
        "is_racing",
        "loads",
        "mode",
        "read_at",
        "read_since",
        "reader",
        "same_since",
        "stores",
        "writer",
        "written_at",
    )

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.writer: Array = np.zeros(0, np.int32)
        self.written_at: Array = np.zeros(0, np.int32)
        self.is_atomic: Array = np.zeros(0, np.bool_)
        self.is_racing: Array = np.zeros(0, np.bool_)
        self.same_since: Array = np.zeros(0, np.int64)
        self.reader: Array = np.zeros(0, np.int32)
        self.read_at: Array = np.zeros(0, np.int32)
        self.read_since: Array = np.zeros(0, np.int64)
        self.stores = AccessLog()
        self.loads = AccessLog()

    def grow(self, places: int) -> None:
        """Resize to at least that many places."""
        missing = places - len(self.writer)
        if missing <= 0:
            return
        names = ("writer", "written_at", "is_atomic", "is_racing", "same_since")
        for name in (*names, "reader", "read_at", "read_since"):
            old = getattr(self, name)
            blank = -1 if name in ("written_at", "read_at") else 0
            setattr(self, name, np.concatenate([old, np.full(missing, blank, old.dtype)]))


class RaceWatch:
    """Accesses by place and barrier. While `atomic` is set, loads and stores are one operation.

    Places are those of a `LastAccesses`. `overtaken` marks the lanes whose last load of a place may as well
    have seen a later store of another lane.
    """

    __slots__ = (
        "_acquired",
        "_clock",
        "_group",
        "_is_patch",
        "_last",
        "_released",
        "_subgroup",
        "_time",
        "_waited",
        "atomic",
        "overtaken",
    )

    def __init__(self, launch: Launch, subgroup_size: int) -> None:
        self.atomic = False
        self.overtaken: Array = np.zeros(launch.lanes, np.bool_)
        self._clock = 0
        self._time = 0
        self._group: Array = launch.group.astype(np.int32)
        self._subgroup: Array = (launch.invocation // max(subgroup_size, 1)).astype(np.int32)
        # Any execution barrier orders the output stores of a patch's invocations.
        self._is_patch = launch.stage is Stage.TESS_CTRL
        self._last: dict[Hashable, LastAccesses] = {}
        # Clock of each lane's last barrier, by whether its scope was the whole group.
        self._waited = {whole: np.zeros(launch.lanes, np.int32) for whole in (True, False)}
        self._released, self._acquired = (
            {
                (mode, whole): np.zeros(launch.lanes, np.int32)
                for mode in ALL_CLASSES
                for whole in (True, False)
            }
            for _ in range(2)
        )

    @classmethod
    def of(cls, launch: Launch, subgroup_size: int) -> RaceWatch | None:
        """Return a watch if invocations share memory, else None."""
        has_groups = launch.stage is Stage.TESS_CTRL or launch.stage in WORKGROUP_STAGES
        return cls(launch, subgroup_size) if has_groups and launch.group_size > 1 else None

    def last_accesses(self, key: Hashable, mode: str, places: int) -> LastAccesses:
        """Return the last accesses of what has the key, for at least that many places."""
        last = self._last.get(key)
        if last is None:
            last = self._last[key] = LastAccesses(mode)
        last.grow(places)
        return last

    @contextmanager
    def atomically(self) -> Iterator[None]:
        """Treat the loads and stores within this context as one atomic operation."""
        before, self.atomic = self.atomic, True
        try:
            yield
        finally:
            self.atomic = before

    def barrier(self, active: Array, *, waits: bool, whole_group: bool, fence: Fence | None) -> None:
        """Record a barrier of the active lanes: execution (`waits`), memory (`fence`), or both."""
        self._clock += 1
        if waits:
            for whole in (True, False) if whole_group else (False,):
                self._waited[whole][active] = self._clock
            for last in self._last.values():
                self._forget_ordered_loads(last)
        if fence is None:
            return
        for mode in fence.modes:
            for whole in (True, False) if fence.whole_group else (False,):
                if fence.releases:
                    self._released[mode, whole][active] = self._clock
                if fence.acquires:
                    self._acquired[mode, whole][active] = self._clock

    def load(self, last: LastAccesses, places: Array, lanes: Array) -> Array:
        """Record loads by one instruction; return which of them have an undefined result.

        The lanes must be in order.
        """
        if self.atomic or not len(places):
            return np.zeros(len(places), np.bool_)
        undefined = ~self._ordered(last.writer[places], last.written_at[places], lanes, last.mode)
        if undefined.any():
            there, loading = places[undefined], lanes[undefined]
            # A lane finds what it stored itself if all that stored after it stored the same.
            undefined[undefined] = ~last.stores.includes(there, loading, last.same_since[there])
        self._note_readers(last, LaneAccesses(places, lanes))
        return undefined

    def _note_readers(self, last: LastAccesses, loads: LaneAccesses) -> None:
        places, lanes, ends = loads.places, loads.lanes, loads.ends
        reader, is_recent = last.reader[places], last.read_at[places] == self._clock
        is_other = is_recent & (reader != lanes)
        in_group = (reader == _MANY) | (self._group[reader] == self._group[lanes])
        joins = np.where(loads.is_first, is_other & in_group, self._follows_own_group(loads))
        is_many = loads.has_begun(joins)
        begins = loads.is_first & ~is_recent
        at = moments(self._tick(), lanes)
        last.read_since[places[begins]] = at[begins]
        last.reader[places[ends]] = np.where(is_many[ends], _MANY, lanes[ends])
        last.read_at[places[ends]] = self._clock
        last.loads.add(places, at)

    def store(self, last: LastAccesses, stores: LaneAccesses, changes: Array) -> Array:
        """Record stores by one instruction, which change the content or not; return which of them race.

        A store that is not ordered after a racing one races too, whether it changes the content or not.
        Atomics are recorded in the same way whether they change the content or not.
        """
        places, lanes, ends = stores.places, stores.lanes, stores.ends
        if not len(places):
            return np.zeros(0, np.bool_)
        # An atomic reads too, so the other lane's store must be visible.
        mode = last.mode if self.atomic else None
        follows = self._ordered(last.writer[places], last.written_at[places], lanes, mode)
        # Of the lanes that store to a place now, only those of different groups are in order.
        in_group = self._follows_own_group(stores) & ~stores.is_first
        conflicts = in_group | (stores.is_first & ~follows)
        was_atomic, at = last.is_atomic[places], moments(self._tick(), lanes)
        changes = changes | (last.is_racing[places] & stores.is_first)
        races = conflicts & changes
        if self.atomic:
            are_atomic = ~stores.has_begun(stores.is_first & ~follows & ~was_atomic, ~in_group)
            races &= ~are_atomic
            last.is_atomic[places[ends]] = are_atomic[ends]
            last.same_since[places[ends]] = at[ends] + 1
        else:
            races |= self._overtakes(last, stores, changes)
            races |= in_group & stores.has_begun(races, ~in_group)
            differs = changes | races | (was_atomic & stores.is_first)
            same_since = np.where(conflicts, np.where(differs, at + 1, last.same_since[places]), at)
            last.is_atomic[places[ends]] = False
            last.same_since[places[ends]] = np.maximum.reduceat(same_since, stores.starts)
            last.stores.add(places, at)
        last.writer[places[ends]] = np.where(conflicts[ends], _many_of(self._group[lanes[ends]]), lanes[ends])
        last.is_racing[places[ends]] = races[ends] & (not self.atomic)
        last.written_at[places[ends]] = self._clock
        last.read_at[places[ends]] = -1
        return races

    def _overtakes(self, last: LastAccesses, stores: LaneAccesses, changes: Array) -> Array:
        """Return which stores change what other lanes may not have loaded yet; note these lanes."""
        places, lanes = stores.places, stores.lanes
        overtakes = changes & stores.is_first
        overtakes &= ~self._ordered(last.reader[places], last.read_at[places], lanes, None)
        if overtakes.any():
            there = places[overtakes]
            position, readers = last.loads.since(there, last.read_since[there])
            self.overtaken[readers[readers != lanes[overtakes][position]]] = True
        return overtakes

    def doubtful(
        self, last: LastAccesses, stores: LaneAccesses, value: Value, equal: Array, is_rounded: Array
    ) -> Array:
        """Return which stores of a value race or do not by rounding only.

        `equal` marks those that repeat the content of their place, `is_rounded` the places whose content is a
        matter of rounding. One instruction rounds alike on all lanes, but for what `may_differ_by_lane`.
        """
        follows = self._ordered(
            last.writer[stores.places], last.written_at[stores.places], stores.lanes, None
        )
        repeats = stores.is_first & equal & ~follows
        if value.error is None:
            return repeats & is_rounded
        error = value.error[0, stores.lanes]
        may_differ = may_differ_by_lane(value.bits[0, stores.lanes], value.bit_size, error)
        joins: Array = ~stores.is_first & self._follows_own_group(stores)
        return (repeats & (is_rounded | (error > NEGLIGIBLE) | may_differ)) | (joins & may_differ)

    def _forget_ordered_loads(self, last: LastAccesses) -> None:
        """Empty the log of the loads if no lane can overtake any of them."""
        if last.read_at.max(initial=-1) < self._waited[True].min():
            last.loads.clear()

    def _tick(self) -> int:
        self._time += 1
        return self._time

    def _follows_own_group(self, accesses: LaneAccesses) -> Array:
        """Return whether the lane of each access is of the same group as that of the access before."""
        group = self._group[accesses.lanes]
        same: Array = group == accesses.before(group)
        return same

    def _ordered(self, other: Array, at: Array, lanes: Array, mode: str | None) -> Array:
        """Return whether other lanes' accesses at some clocks are ordered before the lanes' current access.

        `mode` is the memory class if the other lanes' stores must be visible too.
        """
        source = np.where(other < 0, lanes, other)
        group = np.where(other < _MANY, _many_of(other), self._group[source])
        result: Array = (group != self._group[lanes]) | (other == lanes)
        result |= self._are_ordered_by(True, source, at, lanes, mode)
        in_subgroup = (other >= 0) & (self._subgroup[source] == self._subgroup[lanes])
        result |= in_subgroup & self._are_ordered_by(False, source, at, lanes, mode)
        return result

    def _are_ordered_by(self, whole: bool, source: Array, at: Array, lanes: Array, mode: str | None) -> Array:
        result: Array = self._waited[whole][lanes] > at
        if mode is None or self._is_patch:
            return result
        result &= self._released[mode, whole][source] > at
        result &= self._acquired[mode, whole][lanes] > at
        return result
