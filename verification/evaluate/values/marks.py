"""Undefined and fragile lanes of the sources that decide a result or a location."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.pointer import PointerIndex
from nirls.verification.evaluate.values.value import Value, either, on_any_component, uncertain_bits


class Marks:
    """Lanes that are undefined (`poison`) or depend on rounding (`fragile`); None for nowhere."""

    __slots__ = ("fragile", "poison")

    def __init__(self, poison: Array | None = None, fragile: Array | None = None) -> None:
        self.poison = poison
        self.fragile = fragile

    @classmethod
    def of(cls, *sources: Value | PointerIndex) -> Marks:
        """Return the lanes on which any component of any source is marked."""
        marks = cls()
        for source in sources:
            marks.add(source)
        return marks

    def add(self, source: Value | PointerIndex, *, inexact: bool = False) -> None:
        """Add the marks of a source; if it is used as bits, an `inexact` one is fragile."""
        if source.poison is not None:
            self.poison = either(self.poison, on_any_component(source.poison))
        if source.fragile is not None:
            self.fragile = either(self.fragile, on_any_component(source.fragile))
        if inexact and isinstance(source, Value):
            uncertain = uncertain_bits(source)
            if uncertain is not None and uncertain.any():
                self.fragile = either(self.fragile, on_any_component(uncertain))

    def join(self, other: Marks) -> None:
        """Add all marks of another."""
        self.poison = either(self.poison, other.poison)
        self.fragile = either(self.fragile, other.fragile)

    def marked(self, value: Value) -> Value:
        """Return a value with these marks added to all of its components."""
        if self.poison is None and self.fragile is None:
            return value
        poison, fragile = (
            None if mark is None else np.broadcast_to(mark, value.bits.shape)
            for mark in (self.poison, self.fragile)
        )
        return Value(
            value.bits,
            value.bit_size,
            either(value.poison, poison),
            value.error,
            either(value.fragile, fragile),
        )
