"""Storage for the memory cells of one place, in arrays by cell number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from nirls.verification.evaluate.storage.access_log import AccessLog
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.surroundings.result import MemoryCell, MemoryKey
from nirls.verification.evaluate.values.arrays import Array

CellKey = tuple[int, ...]

_NOBODY, _MANY = -1, -2
_FIELDS = {
    "bits": np.uint64,
    "bit_size": np.uint8,
    "poison": np.bool_,
    "error": np.float64,
    "fragile": np.bool_,
    "holes": np.uint8,
    "is_stored": np.bool_,
    "_writer": np.int32,
}


class _Numbers(dict[CellKey, int]):
    """Numbers of keys; a key that is looked up for the first time gets the next one."""

    def __missing__(self, key: CellKey) -> int:
        number = self[key] = len(self)
        return number


class Plane:
    """Memory cells, numbered in the order in which their keys are first seen.

    The arrays have one entry for each number, as in `MemoryCell`; `is_stored` is whether something was stored
    there. Which lanes stored is known since `begin`.
    """

    __slots__ = (*_FIELDS, "_numbers", "_stored", "_stores")

    def __init__(self) -> None:
        self.bits: Array
        self.bit_size: Array
        self.poison: Array
        self.error: Array
        self.fragile: Array
        self.holes: Array
        self.is_stored: Array
        self._writer: Array
        for name, dtype in _FIELDS.items():
            setattr(self, name, np.zeros(0, dtype))
        self._numbers = _Numbers()
        self._stored: list[int] = []
        self._stores = AccessLog()

    @property
    def size(self) -> int:
        """The number of cells that there is room for."""
        return len(self.bits)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was stored."""
        return not self._stored

    def begin(self) -> None:
        """Start another run, with lanes of its own."""
        self._writer[:] = _NOBODY
        self._stores.clear()

    def numbers(self, keys: Iterable[CellKey]) -> Array:
        """Return the numbers of the cells with these keys."""
        found = np.array(list(map(self._numbers.__getitem__, keys)), np.int64)
        if len(self._numbers) > self.size:
            more = max(len(self._numbers), 2 * self.size) - self.size
            for name, dtype in _FIELDS.items():
                blank: Array = np.full(more, _NOBODY if name == "_writer" else 0, dtype)
                setattr(self, name, np.concatenate([getattr(self, name), blank]))
        return found

    def contents(self, numbers: Array) -> dict[int, MemoryCell]:
        """Return those of the cells with these numbers that something was stored to, by number."""
        stored = numbers[self.is_stored[numbers]]
        return dict(zip(stored.tolist(), self._cells(stored), strict=True))

    def cells(self, place: MemoryKey = ()) -> Iterator[tuple[MemoryKey, MemoryCell]]:
        """Yield the key and the content of each cell that was stored to, in order of the first stores.

        The keys begin with `place`.
        """
        cells = self._cells(np.array(self._stored, np.int64))
        return zip(self._keys(place, self._stored), cells, strict=True)

    def _keys(self, place: MemoryKey, numbers: Iterable[int]) -> Iterator[MemoryKey]:
        return map(place.__add__, map(list(self._numbers).__getitem__, numbers))

    def _cells(self, numbers: Array) -> Iterator[MemoryCell]:
        arrays = (self.bits, self.bit_size, self.poison, self.error, self.fragile, self.holes)
        return map(MemoryCell, *(array[numbers].tolist() for array in arrays))

    def put(self, cells: Mapping[int, MemoryCell]) -> None:
        """Set the content of cells, by number."""
        at = list(cells)
        for name in MemoryCell._fields:
            getattr(self, name)[at] = [getattr(cell, name) for cell in cells.values()]

    def note_stores(self, stores: LaneAccesses) -> None:
        """Record which lanes store to the cells with these numbers."""
        first, last = stores.starts, stores.ends
        places, lanes = stores.places[last], stores.lanes[last]
        writer = self._writer[places]
        is_alone = (first == last) & ((writer == _NOBODY) | (writer == lanes))
        self._writer[places] = np.where(is_alone, lanes, _MANY)
        self._stores.add(stores.places, stores.lanes)
        fresh = first[~self.is_stored[places]]
        self._stored += stores.places[fresh][np.argsort(stores.order[fresh])].tolist()
        self.is_stored[places] = True

    def was_stored_by_others(self, numbers: Array, lanes: Array) -> Array:
        """Return whether another lane has stored to each cell."""
        writer = self._writer[numbers]
        by_others: Array = (writer == _MANY) | ((writer >= 0) & (writer != lanes))
        return by_others

    def writers(self, place: MemoryKey = ()) -> Iterator[tuple[MemoryKey, frozenset[int]]]:
        """Yield the key of each cell that was stored to, and the lanes that did.

        The keys begin with `place`.
        """
        written = np.nonzero(self._writer >= 0)[0]
        alone = self._writer[written].tolist()
        sets = {lane: frozenset((lane,)) for lane in set(alone)}
        yield from zip(self._keys(place, written.tolist()), map(sets.__getitem__, alone), strict=True)
        many = np.nonzero(self._writer == _MANY)[0]
        if not len(many):
            return
        position, lanes = self._stores.since(many, np.zeros(len(many), np.int64))
        order = np.argsort(position, kind="stable")
        groups = np.split(lanes[order], np.searchsorted(position[order], np.arange(1, len(many))))
        for key, group in zip(self._keys(place, many.tolist()), groups, strict=True):
            yield key, frozenset(group.tolist())
