"""Race detection: lanes run in lock step, so a missing barrier would not show in the results.

Invocations of a workgroup or patch that use the same place must be ordered by an execution barrier, and
a store is visible to another only if the memory was released and acquired too (the memory model of
Vulkan, which NIR's `barrier` follows). Without that order the value is undefined. Accesses of different
groups are not checked, and atomics only against plain stores and later loads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.effects import BARRIER_CLASSES, memory_of_mode
from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.launch import WORKGROUP_STAGES, Launch
from nirls.ir.evaluate.value import Value
from nirls.ir.model.stage import Stage

Array = NDArray[Any]

SharedPlace = tuple[int, int, int]
"""Element, component, workgroup."""


class SharedWatch:
    """The cells of one shared variable, checked by a `RaceWatch`."""

    __slots__ = ("_cells", "_mode", "_races")

    def __init__(self, races: RaceWatch, mode: str, cells: Cells) -> None:
        self._races = races
        self._mode = mode
        self._cells = cells

    def load(self, index: Array | int, component: Array | None, active: Array, group: Array) -> Array:
        """Return the components, per lane, that race with another invocation's store.

        `component` is the vector component that each lane selects, None for all of them.
        """
        elements, width, _ = self._cells.bits.shape
        racing = np.zeros((width, len(active)), np.bool_)
        where = np.broadcast_to(np.asarray(index), active.shape)
        for lane in np.nonzero(active & (where >= 0) & (where < elements))[0].tolist():
            for row in range(width) if component is None else (int(component[lane]),):
                key = (id(self._cells), int(where[lane]), row, int(group[lane]))
                if 0 <= row < width and self._races.load(self._mode, key, lane):
                    racing[row, lane] = True
        return racing

    def store(
        self,
        index: Array | int,
        component: Array | None,
        value: Value,
        write_mask: int,
        active: Array,
        group: Array,
    ) -> list[SharedPlace]:
        """Record a store; return the places that it makes undefined."""
        elements, width, _ = self._cells.bits.shape
        where = np.broadcast_to(np.asarray(index), active.shape)
        rows = [row for row in range(width) if write_mask >> row & 1]
        packed = len(value.bits) < width
        stored: dict[SharedPlace, int] = {}
        racing: list[SharedPlace] = []
        for lane in np.nonzero(active & (where >= 0) & (where < elements))[0].tolist():
            for number, row in enumerate(rows if component is None else (int(component[lane]),)):
                source = number if packed else row
                if not 0 <= row < width or source >= len(value.bits):
                    continue
                place = (int(where[lane]), row, int(group[lane]))
                bits = int(value.bits[source, lane])
                known = None if self._cells.poison[place] else int(self._cells.bits[place])
                changes = stored.get(place, known) != bits
                if self._races.store(self._mode, (id(self._cells), *place), lane, changes):
                    racing.append(place)
                stored[place] = bits
        return racing


_NOBODY, _MANY = -1, -2
WATCHED_MODES = frozenset(BARRIER_CLASSES.values())


@cache
def memory_class(mode: str) -> str | None:
    """Return the memory class of a mode or space, as ordered by barriers; None if it needs no order."""
    return BARRIER_CLASSES.get(memory_of_mode(mode))


@dataclass(frozen=True, slots=True)
class Fence:
    """A memory barrier: memory classes, release and acquire, and scope (whole group or subgroup)."""

    modes: frozenset[str]
    releases: bool = True
    acquires: bool = True
    whole_group: bool = True


@dataclass(slots=True)
class _Record:
    """The last store to a place and the loads since, each a lane, `_NOBODY` or `_MANY`.

    `same` are lanes that all stored the same value, `readers` those that loaded since the last barrier.
    """

    writer: int = _NOBODY
    written_at: int = 0
    is_atomic: bool = False
    same: frozenset[int] = frozenset()
    reader: int = _NOBODY
    read_at: int = 0
    readers: set[int] = field(default_factory=set)


class RaceWatch:
    """Accesses by place and barrier. While `atomic` is set, loads and stores are one operation.

    `overtaken` are lanes whose last load of a place may as well have seen a later store of another lane.
    """

    __slots__ = (
        "_acquired",
        "_clock",
        "_group",
        "_is_patch",
        "_records",
        "_released",
        "_subgroup",
        "_waited",
        "atomic",
        "overtaken",
    )

    def __init__(self, launch: Launch, subgroup_size: int) -> None:
        self.atomic = False
        self.overtaken: set[int] = set()
        self._clock = 0
        self._group: list[int] = launch.group.tolist()
        self._subgroup: list[int] = (launch.invocation // max(subgroup_size, 1)).tolist()
        # Any execution barrier orders the output stores of a patch's invocations.
        self._is_patch = launch.stage is Stage.TESS_CTRL
        self._records: dict[object, _Record] = {}
        # Clock of each lane's last barrier, by whether its scope was the whole group.
        self._waited = {whole: [0] * launch.lanes for whole in (True, False)}
        self._released = {
            (mode, whole): [0] * launch.lanes for mode in WATCHED_MODES for whole in (True, False)
        }
        self._acquired = {
            (mode, whole): [0] * launch.lanes for mode in WATCHED_MODES for whole in (True, False)
        }

    @classmethod
    def of(cls, launch: Launch, subgroup_size: int) -> RaceWatch | None:
        """Return a watch if invocations share memory, else None."""
        has_groups = launch.stage is Stage.TESS_CTRL or launch.stage in WORKGROUP_STAGES
        return cls(launch, subgroup_size) if has_groups and launch.group_size > 1 else None

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
        lanes = np.nonzero(active)[0].tolist()
        if waits:
            for whole in (True, False) if whole_group else (False,):
                self._strike(self._waited[whole], lanes)
        if fence is None:
            return
        for mode in fence.modes & WATCHED_MODES:
            for whole in (True, False) if fence.whole_group else (False,):
                if fence.releases:
                    self._strike(self._released[mode, whole], lanes)
                if fence.acquires:
                    self._strike(self._acquired[mode, whole], lanes)

    def _strike(self, clocks: list[int], lanes: list[int]) -> None:
        for lane in lanes:
            clocks[lane] = self._clock

    def load(self, mode: str, key: object, lane: int) -> bool:
        """Record a load by a lane; return whether its result is undefined."""
        if self.atomic:
            return False
        record = self._records.get(key)
        if record is None:
            record = self._records[key] = _Record()
        others = record.reader not in (_NOBODY, lane) and record.read_at == self._clock
        same_group = record.reader == _MANY or self._group[record.reader] == self._group[lane]
        record.reader = _MANY if others and same_group else lane
        if record.read_at != self._clock:
            record.readers = set()
        record.readers.add(lane)
        record.read_at = self._clock
        return not self._ordered(record.writer, record.written_at, lane, mode) and lane not in record.same

    def store(self, mode: str, key: object, lane: int, changes: bool) -> bool:
        """Record a store by a lane, which `changes` the content or not; return whether it races."""
        record = self._records.get(key)
        if record is None:
            self._records[key] = _Record(lane, self._clock, self.atomic, frozenset((lane,)))
            return False
        race = False
        writer, same, is_atomic = lane, frozenset((lane,)), self.atomic
        # An atomic reads too, so the other lane's store must be visible.
        if not self._ordered(record.writer, record.written_at, lane, mode if self.atomic else None):
            writer = _MANY
            same = frozenset() if changes or self.atomic or record.is_atomic else record.same | same
            race = changes and not (self.atomic and record.is_atomic)
            is_atomic = self.atomic and record.is_atomic
        elif self.atomic:
            same = frozenset()
        is_plain = not self.atomic and changes
        if is_plain and not self._ordered(record.reader, record.read_at, lane, None):
            race = True
            self.overtaken |= record.readers - {lane}
        self._records[key] = _Record(writer, self._clock, is_atomic, same)
        return race

    def follows_last_store(self, key: object, lane: int) -> bool:
        """Return whether the last store to a place, if any, is ordered before this lane's current access."""
        record = self._records.get(key)
        return record is None or self._ordered(record.writer, record.written_at, lane, None)

    def forget(self, keys: Iterable[object]) -> None:
        """Drop the records of these places."""
        for key in keys:
            self._records.pop(key, None)

    def _ordered(self, other: int, at: int, lane: int, mode: str | None) -> bool:
        """Return whether another lane's access to a place is ordered before this lane's current access.

        `mode` is the memory class if the other lane's stores must be visible too.
        """
        if other in (_NOBODY, lane) or (other >= 0 and self._group[other] != self._group[lane]):
            return True
        if self._is_ordered_by(True, other, at, lane, mode):
            return True
        in_subgroup = other >= 0 and self._subgroup[other] == self._subgroup[lane]
        return in_subgroup and self._is_ordered_by(False, other, at, lane, mode)

    def _is_ordered_by(self, whole: bool, other: int, at: int, lane: int, mode: str | None) -> bool:
        if self._waited[whole][lane] <= at:
            return False
        if mode is None or self._is_patch:
            return True
        source = lane if other == _MANY else other
        return self._released[mode, whole][source] > at and self._acquired[mode, whole][lane] > at
