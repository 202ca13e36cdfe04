"""Record of which lanes accessed which places, to be searched rarely."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array

_LANE_BITS = 32
_FEW = 1 << 20
"""Number of accesses up to which repeated ones are kept."""


def moments(time: int, lanes: Array | int) -> Array:
    """Return when lanes make an access: they take turns within one instruction, which has a time."""
    return np.asarray((time << _LANE_BITS) + lanes)


def _lanes(at: Array) -> Array:
    """Return the lanes whose turn it is at these moments."""
    lanes: Array = at & ((1 << _LANE_BITS) - 1)
    return lanes


class AccessLog:
    """Accesses to numbered places at moments in ascending order."""

    __slots__ = ("_count", "_limit", "_moments", "_places")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all accesses."""
        self._places: list[Array] = [np.zeros(0, np.int64)]
        self._moments: list[Array] = [np.zeros(0, np.int64)]
        self._count = 0
        self._limit = _FEW

    def add(self, places: Array, at: Array) -> None:
        """Add accesses to places, each at its moment."""
        self._places.append(places)
        self._moments.append(at)
        self._count += len(places)
        if self._count > self._limit:
            self._drop_repeated()

    def since(self, places: Array, start: Array) -> tuple[Array, Array]:
        """Return the accesses to some places that were not before a moment, given for each of them.

        The places must be sorted and different. Returns each access's position in `places`, and its lane.
        """
        known, at = self._joined()
        position = np.minimum(np.searchsorted(places, known), len(places) - 1)
        found = np.nonzero((places[position] == known) & (at >= start[position]))[0]
        return position[found], _lanes(at[found])

    def includes(self, places: Array, lanes: Array, start: Array) -> Array:
        """Return whether each lane has accessed its place, not before the moment given for the place."""
        there, first, number = np.unique(places, return_index=True, return_inverse=True)
        position, found = self.since(there, start[first])
        return np.isin((number << _LANE_BITS) + lanes, (position << _LANE_BITS) + found)

    def _joined(self) -> tuple[Array, Array]:
        self._places, self._moments = [np.concatenate(self._places)], [np.concatenate(self._moments)]
        return self._places[0], self._moments[0]

    def _drop_repeated(self) -> None:
        """Keep the last access of each lane to each place."""
        places, at = (array[::-1] for array in self._joined())
        kept = np.unique((places << _LANE_BITS) + _lanes(at), return_index=True)[1]
        self._places, self._moments = [places[kept]], [at[kept]]
        self._count = len(kept)
        self._limit = max(_FEW, 2 * len(kept))
