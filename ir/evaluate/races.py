"""Who wrote shared memory last: what another invocation wrote since the last barrier is not there to read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class LastWriters:
    """For every element of a shared variable, in every workgroup, the last lane to write it, and when.

    Lanes run in lock step here, but not on hardware: a value that came from another invocation without an
    execution barrier in between may as well not have come. Times are numbers of barriers passed.
    """

    __slots__ = ("lane", "time")

    def __init__(self, elements: int, instances: int) -> None:
        self.lane: Array = np.full((max(elements, 1), instances), -1, np.int64)
        self.time: Array = np.zeros((max(elements, 1), instances), np.int64)

    def note(self, index: Array | int, active: Array, instance: Array, time: int) -> None:
        """The running lanes write now."""
        where = np.broadcast_to(np.asarray(index), active.shape)
        lanes = np.nonzero(active & (where >= 0) & (where < len(self.lane)))[0]
        self.lane[where[lanes], instance[lanes]] = lanes
        self.time[where[lanes], instance[lanes]] = time

    def races(self, index: Array | int, instance: Array, time: int) -> Array:
        """The lanes that find what another lane wrote without a barrier since."""
        lanes = np.arange(len(instance))
        where = np.broadcast_to(np.asarray(index), lanes.shape)
        inside = (where >= 0) & (where < len(self.lane))
        at = (np.where(inside, where, 0), instance)
        racing: Array = inside & (self.lane[at] >= 0) & (self.lane[at] != lanes) & (self.time[at] == time)
        return racing
