"""Per-lane storage for registers and variables."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.value import Value, undefined_value


class Cells:
    """An array of vectors for each instance (a lane, or a workgroup for shared variables).

    Arrays have shape (elements, components, instances). Elements are undefined until stored.
    """

    __slots__ = ("bit_size", "bits", "error", "fragile", "poison")

    def __init__(self, elements: int, components: int, bit_size: int, instances: int) -> None:
        shape = (max(elements, 1), max(components, 1), instances)
        self.bit_size = bit_size
        self.bits: Array = np.zeros(shape, container_type(bit_size))
        self.poison: Array = np.ones(shape, np.bool_)
        self.fragile: Array = np.zeros(shape, np.bool_)
        self.error: Array = np.zeros(shape, np.float64)

    def load(self, index: Array | int, instance: Array) -> Value:
        """Load the element of each lane from its instance; undefined where the index is out of bounds."""
        if isinstance(index, int):
            if not 0 <= index < len(self.bits):
                return undefined_value(self.bits.shape[1], self.bit_size, len(instance))
            # Five times as fast as an index by an array.
            rows = [
                array[index].take(instance, axis=1)
                for array in (self.bits, self.poison, self.error, self.fragile)
            ]
        else:
            inside = (index >= 0) & (index < len(self.bits))
            safe = np.where(inside, index, 0)
            rows = [
                np.ascontiguousarray(array[safe, :, instance].T)
                for array in (self.bits, self.poison, self.error, self.fragile)
            ]
            rows[1] = rows[1] | ~inside
        bits, poison, error, fragile = rows
        return Value.of_arrays(bits, self.bit_size, poison, error, fragile)

    def store(
        self, index: Array | int, value: Value, write_mask: int, active: Array, instance: Array
    ) -> None:
        """Store components to the element of each running lane; out-of-bounds stores are dropped.

        A value narrower than the element fills the write mask in order. Among lanes that share an instance
        the last one wins.
        """
        where = np.broadcast_to(np.asarray(index), active.shape)
        lane = np.nonzero(active & (where >= 0) & (where < len(self.bits)))[0]
        element, place = where[lane], instance[lane]
        packed = value.bits.shape[0] < self.bits.shape[1]
        source = 0
        for component in range(self.bits.shape[1]):
            if not write_mask >> component & 1:
                continue
            row = source if packed else component
            source += 1
            if row >= value.bits.shape[0]:
                break
            at = (element, component, place)
            self.bits[at] = value.bits[row, lane]
            self.poison[at] = False if value.poison is None else value.poison[row, lane]
            self.error[at] = 0.0 if value.error is None else value.error[row, lane]
            self.fragile[at] = False if value.fragile is None else value.fragile[row, lane]

    def fill(self, element: int, values: list[int]) -> None:
        """Set one element to the same contents in all instances."""
        mask = (1 << self.bit_size) - 1
        for component, value in enumerate(values):
            self.bits[element, component] = value & mask
            self.poison[element, component] = False
