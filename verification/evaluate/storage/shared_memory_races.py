"""Race detection for variables in shared memory."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value


class SharedMemoryRaces:
    """The cells of one shared variable, checked by a `RaceWatch`.

    A place is the position of a component in the arrays of the cells, as if they had one axis.
    """

    __slots__ = ("_cells", "_last", "_races")

    def __init__(self, races: RaceWatch, mode: str, cells: Cells) -> None:
        self._races = races
        self._last = races.last_accesses(cells, mode, cells.bits.size)
        self._cells = cells

    def load(self, index: Array | int, component: Array | None, active: Array, group: Array) -> Array:
        """Return the components, per lane, that race with another invocation's store.

        `component` is the vector component that each lane selects, None for all of them.
        """
        width = self._cells.bits.shape[1]
        racing = np.zeros((width, len(active)), np.bool_)
        if not self._races.atomic:
            rows, _, lanes, places = self._accesses(range(width), index, component, active, group)
            racing[rows, lanes] = self._races.load(self._last, places, lanes)
        return racing

    def store(
        self,
        index: Array | int,
        component: Array | None,
        value: Value,
        write_mask: int,
        active: Array,
        group: Array,
    ) -> Array:
        """Record a store; return the places that it makes undefined."""
        cells, width = self._cells, self._cells.bits.shape[1]
        written = [row for row in range(width) if write_mask >> row & 1]
        rows, numbers, lanes, places = self._accesses(written, index, component, active, group)
        source = numbers if len(value.bits) < width else rows
        exists = source < len(value.bits)
        stores = LaneAccesses(places[exists], lanes[exists])
        at = source[exists][stores.order], stores.lanes
        undefined = None if value.poison is None else value.poison[at]
        is_defined = ~cells.poison.reshape(-1)[stores.places]
        old = cells.bits.reshape(-1)[stores.places]
        changes = stores.changes(value.bits[at], old, is_defined, undefined)
        return stores.places[self._races.store(self._last, stores, changes)]

    def _accesses(
        self,
        rows: range | list[int],
        index: Array | int,
        component: Array | None,
        active: Array,
        group: Array,
    ) -> tuple[Array, Array, Array, Array]:
        """Return the accesses within the array: row, number among the rows of a lane, lane, and place."""
        elements, width, instances = self._cells.bits.shape
        where = np.broadcast_to(np.asarray(index), active.shape)
        lanes = np.nonzero(active & (where >= 0) & (where < elements))[0]
        if component is None:
            row, number = (
                np.repeat(np.array(each, np.int64), len(lanes)) for each in (rows, range(len(rows)))
            )
            lanes = np.tile(lanes, len(rows))
        else:
            lanes = lanes[(component[lanes] >= 0) & (component[lanes] < width)]
            row, number = component[lanes], np.zeros(len(lanes), np.int64)
        return row, number, lanes, (where[lanes] * width + row) * instances + group[lanes]
