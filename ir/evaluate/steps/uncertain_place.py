"""Locations of memory accesses that are undefined or fragile on some lanes."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Array, Value, either


class UncertainPlace:
    """Lanes on which the location of an access is undefined (`poison`) or depends on rounding (`fragile`)."""

    __slots__ = ("fragile", "poison")

    def __init__(self, poison: Array | None = None, fragile: Array | None = None) -> None:
        self.poison = poison
        self.fragile = fragile

    def marked(self, value: Value) -> Value:
        """Return a loaded value with the marks of its location added."""
        shape = value.bits.shape
        if self.poison is not None:
            value.poison = either(value.poison, np.broadcast_to(self.poison, shape))
        if self.fragile is not None:
            value.fragile = either(value.fragile, np.broadcast_to(self.fragile, shape))
        return value

    def note_lost_store(self, state: State, active: Array) -> None:
        """Mark lanes that store to an unknown location: their later effects are not compared."""
        if self.poison is not None:
            state.mark_poisoned(active & self.poison)
            state.astray = state.astray | (active & self.poison)
        if self.fragile is not None:
            state.mark_fragile(active & self.fragile)
