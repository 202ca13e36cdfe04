"""Results of operations, shared by the runs on one environment.

A pass changes little of a shader, so both sides of a comparison compute mostly the same on the same inputs.
Rows with equal bits and marks get the same number, and an operation on rows with the same numbers gives the
same result, which is computed once.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value

_MOST_BYTES = 1 << 26
"""Maximum size of the kept arrays and rows; later results are not shared."""


class OperationCache:
    """Results by operation and row numbers of the sources. Kept values must not be modified."""

    __slots__ = ("_found", "_next", "_numbers", "_owner", "_room")

    def __init__(self) -> None:
        # What values remember with their numbers: constants outlive a cache, and must not keep it alive.
        self._owner = object()
        self._found: dict[Hashable, Value] = {}
        self._numbers: dict[Hashable, int] = {}
        self._next = 0
        self._room = _MOST_BYTES

    def get(self, key: Hashable) -> Value | None:
        """Return the result of an operation; None if it was not kept."""
        return self._found.get(key)

    def keep(self, key: Hashable, result: Value) -> Value:
        """Keep the result of an operation while there is room, and return it."""
        if self._room > 0:
            self._room -= sum(
                part.nbytes
                for part in (result.bits, result.poison, result.error, result.fragile)
                if part is not None
            )
            self._found[key] = result
        return result

    def rows(self, value: Value, components: tuple[int, ...] | range) -> list[int]:
        """Return the numbers of some rows of a value."""
        known = value.numbers
        if known is None or known[0] is not self._owner:
            known = value.numbers = (self._owner, [-1] * len(value.bits))
        numbers = known[1]
        found = []
        for row in components:
            if numbers[row] < 0:
                numbers[row] = self._number(value, row)
            found.append(numbers[row])
        return found

    def _number(self, value: Value, row: int) -> int:
        bits = value.bits[row].tobytes()
        content: Hashable = bits
        size = len(bits)
        if value.poison is not None or value.error is not None or value.fragile is not None:
            marks = tuple(_mark(mark, row) for mark in (value.poison, value.error, value.fragile))
            if marks != _UNMARKED:
                content = (bits, *marks)
                size += sum(len(mark) for mark in marks if mark is not None)
        found = self._numbers.get(content)
        if found is None:
            found = self._next
            self._next += 1
            if self._room > 0:
                self._numbers[content] = found
                self._room -= size
        return found


_UNMARKED = (None, None, None)


def _mark(marks: Array | None, row: int) -> bytes | None:
    if marks is None:
        return None
    own = marks[min(row, len(marks) - 1)]
    return bytes(own.tobytes()) if np.count_nonzero(own) else None
