"""Watching shared variables for races, component by component."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.races import RaceWatch
from nirls.ir.evaluate.value import Value

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
