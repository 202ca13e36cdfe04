"""Places of memory accesses of which not everything is known on every lane."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Array, Value, either


class UncertainPlace:
    """Lanes on which the place of an access is undefined (`poison`) or a matter of rounding (`fragile`)."""

    __slots__ = ("fragile", "poison")

    def __init__(self, poison: Array | None = None, fragile: Array | None = None) -> None:
        self.poison = poison
        self.fragile = fragile

    def marked(self, value: Value) -> Value:
        """What was loaded from there, as uncertain as the place."""
        shape = value.bits.shape
        if self.poison is not None:
            value.poison = either(value.poison, np.broadcast_to(self.poison, shape))
        if self.fragile is not None:
            value.fragile = either(value.fragile, np.broadcast_to(self.fragile, shape))
        return value

    def note_lost_store(self, state: State, active: Array) -> None:
        """Note the lanes whose store goes to an unknown place: nothing that they do from now on counts."""
        if self.poison is not None:
            state.mark_poisoned(active & self.poison)
            state.astray = state.astray | (active & self.poison)
        if self.fragile is not None:
            state.mark_fragile(active & self.fragile)
