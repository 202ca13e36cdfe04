"""Runtime value of a def: bits for every lane, with undefined and fragile marks and error bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.pointer import Pointer

LEAST_ERROR = 2.0**-1074
"""Error bound of what an inexact operation made without rounding: another form of it may round.

The sign of a zero or a NaN with a bound is uncertain; the other bits are not by this bound.
"""

KEPT_ZERO = 7 * LEAST_ERROR
"""Error bound of a zero of which an inexact operation preserves the sign."""

NEGLIGIBLE = 2.0**-1070
"""Greatest of the bounds that stand for no distance."""


def may_differ_by_lane(bits: Array, bit_size: int, error: Array) -> Array:
    """Return where one instruction may give equal bits only by rounding, for operands that differ by lane.

    That is where the error has no bound, as of a NaN, and where a zero's sign is uncertain: `a + 0` is the
    same zero for both zeros of `a`.
    """
    is_zero = bits.astype(np.uint64) << (65 - bit_size) == 0
    return np.isinf(error) | (is_zero & (error != 0) & (error != KEPT_ZERO))


class Value:
    """Raw bits of all lanes, shape (components, lanes), in the format of `alu.run`.

    `poison` marks undefined elements, `fragile` (only with error tracking) those that a rounding difference
    could have changed arbitrarily; booleans of the same shape, None for nowhere. `error` bounds the distance
    of each float from the result of real arithmetic, float64 of the same shape, None for exact.
    `pointer` is set for the value of a deref, whose bits are not significant. `numbers` are those of the rows
    in `OperationCache`, as far as known.
    """

    __slots__ = ("bit_size", "bits", "error", "fragile", "numbers", "pointer", "poison")

    def __init__(
        self,
        bits: Array,
        bit_size: int,
        poison: Array | None = None,
        error: Array | None = None,
        fragile: Array | None = None,
        pointer: Pointer | None = None,
    ) -> None:
        self.bits = bits
        self.bit_size = bit_size
        self.poison = poison
        self.error = error
        self.fragile = fragile
        self.pointer = pointer
        self.numbers: tuple[object, list[int]] | None = None

    @classmethod
    def of_arrays(cls, bits: Array, bit_size: int, poison: Array, error: Array, fragile: Array) -> Value:
        """Return a value whose marks and error bounds are None where the arrays have none."""
        return cls(
            bits,
            bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def component(self, component: int) -> Value:
        """Return one component, still with two axes."""
        return self.at(slice(component, component + 1))

    def at(self, place: Any) -> Value:
        """Return the value whose arrays are those of this one at an index, which numpy takes."""
        return Value(
            self.bits[place],
            self.bit_size,
            None if self.poison is None else self.poison[place],
            None if self.error is None else self.error[place],
            None if self.fragile is None else self.fragile[place],
        )

    def __repr__(self) -> str:
        return f"<Value {self.bits.shape[0]}x{self.bit_size} on {self.bits.shape[1]} lanes>"


@dataclass(frozen=True, slots=True)
class Override:
    """Bits that one component of a value is set to on some lanes, whatever its instruction computes."""

    row: int
    lanes: Array
    bits: Array


def overridden(value: Value, overrides: Sequence[Override]) -> Value:
    """Return a value with overrides applied; a pointer, or a value of other lanes, is returned unchanged."""
    shape = value.bits.shape
    if (
        not overrides
        or value.pointer is not None
        or any(len(override.lanes) != shape[1] for override in overrides)
    ):
        return value
    result = Value(value.bits.copy(), value.bit_size)
    for name in ("poison", "error", "fragile"):
        marks = getattr(value, name)
        setattr(result, name, None if marks is None else np.broadcast_to(marks, shape).copy())
    for override in overrides:
        result.bits[override.row, override.lanes] = override.bits.astype(value.bits.dtype)[override.lanes]
        for marks in (result.poison, result.error, result.fragile):
            if marks is not None:
                marks[override.row, override.lanes] = 0
    return result


def certain(value: Value) -> Value:
    """Return a value without error bounds and fragile marks."""
    if value.error is None and value.fragile is None:
        return value
    return Value(value.bits, value.bit_size, value.poison, pointer=value.pointer)


def uncertain_bits(value: Value) -> Array | None:
    """Return where the bits of a value may be others, by its error bounds; None for nowhere."""
    error = value.error
    if error is None:
        return None
    uncertain: Array = error > NEGLIGIBLE
    signed = (error > 0) & ~uncertain
    if signed.any() and value.bit_size in FLOAT_TYPES:
        numbers = value.bits.view(FLOAT_TYPES[value.bit_size])
        uncertain = uncertain | (signed & ((numbers == 0) | np.isnan(numbers)))
    return uncertain


def undefined_value(num_components: int, bit_size: int, lanes: int) -> Value:
    """Return an undefined value."""
    shape = (num_components, lanes)
    return Value(np.zeros(shape, container_type(bit_size)), bit_size, np.ones(shape, np.bool_))


def constant(values: tuple[int, ...], bit_size: int, lanes: int) -> Value:
    """Return a value with the same components on all lanes."""
    mask = (1 << bit_size) - 1
    column = np.array([value & mask for value in values], container_type(bit_size))[:, None]
    return Value(np.broadcast_to(column, (len(values), lanes)), bit_size)


def select(mask: Array, chosen: Value, other: Value) -> Value:
    """Select per lane: `chosen` where the mask is set, else `other`. The mask has one entry per lane."""
    if chosen.pointer is not None or other.pointer is not None:
        if chosen.pointer is None or other.pointer is None:
            return chosen if other.pointer is None else other  # an undefined value may be any pointer
        return Value(chosen.bits, chosen.bit_size, pointer=chosen.pointer.where(mask, other.pointer))
    return Value(
        np.where(mask, chosen.bits, other.bits),
        chosen.bit_size,
        select_marks(mask, chosen.poison, other.poison, chosen.bits.shape),
        select_error(mask, chosen.error, other.error),
        select_marks(mask, chosen.fragile, other.fragile, chosen.bits.shape),
    )


def select_marks(
    mask: Array, chosen: Array | None, other: Array | None, shape: tuple[int, ...]
) -> Array | None:
    """Apply `numpy.where` to marks, of which None means nowhere; the result has the given shape."""
    if chosen is None and other is None:
        return None
    return np.broadcast_to(
        np.where(mask, False if chosen is None else chosen, False if other is None else other), shape
    )


def select_error(mask: Array, chosen: Array | None, other: Array | None) -> Array | None:
    """Apply `numpy.where` to error bounds, of which None means exact."""
    if chosen is None and other is None:
        return None
    return np.where(mask, 0.0 if chosen is None else chosen, 0.0 if other is None else other)


def either(first: Array | None, second: Array | None) -> Array | None:
    """Return the union of two marks, of which None means nowhere."""
    if first is None:
        return second
    if second is None:
        return first
    return first | second


def on_any_component(marks: Array) -> Array:
    """Return per lane whether a mark is set on any component."""
    lanes: Array = np.logical_or.reduce(marks, axis=0)
    return lanes


def stack(parts: list[Value]) -> Value:
    """Concatenate the components of values of the same bit size."""
    if len(parts) == 1:
        return parts[0]
    bits = np.concatenate([part.bits for part in parts])
    return Value(
        bits,
        parts[0].bit_size,
        _stack_optional([part.poison for part in parts], parts, np.bool_),
        _stack_optional([part.error for part in parts], parts, np.float64),
        _stack_optional([part.fragile for part in parts], parts, np.bool_),
    )


def _stack_optional(rows: list[Array | None], parts: list[Value], dtype: type[np.generic]) -> Array | None:
    if all(row is None for row in rows):
        return None
    return np.concatenate(
        [
            np.zeros(part.bits.shape, dtype) if row is None else np.broadcast_to(row, part.bits.shape)
            for row, part in zip(rows, parts, strict=True)
        ]
    )


def lane_index(value: Value) -> Array:
    """Return a scalar integer value as signed 64-bit numbers, one per lane."""
    bits = value.bits[0]
    numbers: Array = bits.view(np.dtype(f"i{bits.dtype.itemsize}")).astype(np.int64)
    return numbers
