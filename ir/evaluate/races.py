"""Races: lanes run in lock step, so that a missing barrier would go unseen if nobody kept watch.

Invocations of a workgroup or patch that use the same place must be ordered by an execution barrier, and
what one wrote is there for another only if the memory was released and acquired too (the memory model of
Vulkan, which NIR's `barrier` follows). Without that order the value is undefined. Invocations of different
groups are not watched, and of atomics only their order with plain stores and later loads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
    """The cells of one shared variable under the eyes of a `RaceWatch`."""

    __slots__ = ("_cells", "_mode", "_races")

    def __init__(self, races: RaceWatch, mode: str, cells: Cells) -> None:
        self._races = races
        self._mode = mode
        self._cells = cells

    def load(self, index: Array | int, component: Array | None, active: Array, group: Array) -> Array:
        """The components, per lane, that another invocation may be storing at the same time.

        `component` is what each lane selects of the vector, None for all of it.
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
        """What a store that is about to happen makes undefined."""
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


def memory_class(mode: str) -> str | None:
    """The class that barriers order of a mode or space; None for memory that needs no order."""
    return BARRIER_CLASSES.get(memory_of_mode(mode))


@dataclass(frozen=True, slots=True)
class Fence:
    """A memory barrier: classes of memory, whether it releases and acquires, and for the whole group or
    the subgroup only."""

    modes: frozenset[str]
    releases: bool = True
    acquires: bool = True
    whole_group: bool = True


@dataclass(slots=True)
class _Record:
    """The last store to a place and the loads since; lanes, `_NOBODY` or `_MANY`.

    `same` are lanes that all stored the same value.
    """

    writer: int = _NOBODY
    written_at: int = 0
    is_atomic: bool = False
    same: frozenset[int] = frozenset()
    reader: int = _NOBODY
    read_at: int = 0


class RaceWatch:
    """Who used which place since which barrier. While `atomic` is set, loads and stores are one operation."""

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
    )

    def __init__(self, launch: Launch, subgroup_size: int) -> None:
        self.atomic = False
        self._clock = 0
        self._group: list[int] = launch.group.tolist()
        self._subgroup: list[int] = (launch.invocation // max(subgroup_size, 1)).tolist()
        # What a patch's invocations wrote is ordered by any barrier that they wait at.
        self._is_patch = launch.stage is Stage.TESS_CTRL
        self._records: dict[object, _Record] = {}
        # Clocks of the last barriers of each lane; by whether they were for the whole group.
        self._waited = {whole: [0] * launch.lanes for whole in (True, False)}
        self._released = {
            (mode, whole): [0] * launch.lanes for mode in WATCHED_MODES for whole in (True, False)
        }
        self._acquired = {
            (mode, whole): [0] * launch.lanes for mode in WATCHED_MODES for whole in (True, False)
        }

    @classmethod
    def of(cls, launch: Launch, subgroup_size: int) -> RaceWatch | None:
        """A watch where invocations have anything in common, else None."""
        has_groups = launch.stage is Stage.TESS_CTRL or launch.stage in WORKGROUP_STAGES
        return cls(launch, subgroup_size) if has_groups and launch.group_size > 1 else None

    @contextmanager
    def atomically(self) -> Iterator[None]:
        """What is loaded and stored meanwhile is one atomic operation."""
        before, self.atomic = self.atomic, True
        try:
            yield
        finally:
            self.atomic = before

    def barrier(self, active: Array, *, waits: bool, whole_group: bool, fence: Fence | None) -> None:
        """These lanes wait for each other, or order memory, or both."""
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
        """A lane loads from a place: whether what it finds there is undefined."""
        if self.atomic:
            return False
        record = self._records.get(key)
        if record is None:
            record = self._records[key] = _Record()
        others = record.reader not in (_NOBODY, lane) and record.read_at == self._clock
        same_group = record.reader == _MANY or self._group[record.reader] == self._group[lane]
        record.reader = _MANY if others and same_group else lane
        record.read_at = self._clock
        return not self._ordered(record.writer, record.written_at, lane, mode) and lane not in record.same

    def store(self, mode: str, key: object, lane: int, changes: bool) -> bool:
        """A lane stores to a place, which `changes` its content or not: whether that is now undefined."""
        record = self._records.get(key)
        if record is None:
            self._records[key] = _Record(lane, self._clock, self.atomic, frozenset((lane,)))
            return False
        race = False
        writer, same, is_atomic = lane, frozenset((lane,)), self.atomic
        # An atomic reads as well: the other's store must have arrived.
        if not self._ordered(record.writer, record.written_at, lane, mode if self.atomic else None):
            writer = _MANY
            same = frozenset() if changes or self.atomic or record.is_atomic else record.same | same
            race = changes and not (self.atomic and record.is_atomic)
            is_atomic = self.atomic and record.is_atomic
        elif self.atomic:
            same = frozenset()
        if not self.atomic and changes:
            race = race or not self._ordered(record.reader, record.read_at, lane, None)
        self._records[key] = _Record(writer, self._clock, is_atomic, same)
        return race

    def forget(self, keys: Iterable[object]) -> None:
        """These places are not watched any more until somebody uses them again."""
        for key in keys:
            self._records.pop(key, None)

    def _ordered(self, other: int, at: int, lane: int, mode: str | None) -> bool:
        """Whether what another lane did to a place comes before what this one does now.

        `mode` is the class of memory if it matters that the other's stores have arrived.
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
