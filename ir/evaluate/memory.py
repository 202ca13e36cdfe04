"""Memory that invocations can address: buffers, shared and scratch memory, images, cells behind derefs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.result import MemoryCell, MemoryKey
from nirls.ir.evaluate.value import Value

Array = NDArray[Any]
Place = tuple[object, ...]
Update = Callable[[MemoryCell, int], MemoryCell]

_PRIVATE_SPACES = frozenset({"shared", "scratch", "payload"})


class Memory:
    """The cells that were written; everything else is as the environment has it.

    A cell is addressed by a place, the same for all lanes, and some numbers that may differ between lanes.
    """

    __slots__ = ("environment", "planes")

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.planes: dict[Place, dict[tuple[int, ...], MemoryCell]] = {}

    def load(self, place: Place, indices: Sequence[Array], untouched: Value, active: Array) -> Value:
        """One component on all lanes: what was stored, or `untouched` where nothing was."""
        plane = self.planes.get(place)
        if not plane:
            return untouched
        bit_size = untouched.bit_size
        bits = untouched.bits.copy()
        poison = np.zeros(bits.shape, np.bool_) if untouched.poison is None else untouched.poison.copy()
        error, fragile = np.zeros(bits.shape, np.float64), np.zeros(bits.shape, np.bool_)
        for lane in np.nonzero(active)[0]:
            cell = plane.get(tuple(int(index[lane]) for index in indices))
            if cell is None:
                continue
            bits[0, lane] = cell.bits & ((1 << bit_size) - 1)
            poison[0, lane], error[0, lane] = cell.poison, cell.error
            fragile[0, lane] = cell.fragile
        return Value(
            bits,
            bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def store(self, place: Place, indices: Sequence[Array], value: Value, active: Array) -> None:
        """Store one component of the running lanes; where lanes collide the last one wins."""
        plane = self.planes.setdefault(place, {})
        for lane in np.nonzero(active)[0]:
            plane[tuple(int(index[lane]) for index in indices)] = cell_of(value, int(lane))

    def update(
        self, place: Place, indices: Sequence[Array], untouched: Value, change: Update, active: Array
    ) -> Value:
        """Read-modify-write by every running lane in turn; gives what each found before its change."""
        plane = self.planes.setdefault(place, {})
        shape = (1, len(active))
        bits, error = np.zeros(shape, container_type(untouched.bit_size)), np.zeros(shape)
        poison, fragile = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        mask = (1 << untouched.bit_size) - 1
        for lane in np.nonzero(active)[0]:
            key = tuple(int(index[lane]) for index in indices)
            cell = plane.get(key) or cell_of(untouched, int(lane))
            bits[0, lane] = cell.bits & mask
            poison[0, lane], error[0, lane], fragile[0, lane] = cell.poison, cell.error, cell.fragile
            plane[key] = change(cell, int(lane))
        return Value(
            bits,
            untouched.bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def visible_cells(self) -> dict[MemoryKey, MemoryCell]:
        """Everything written that outlives the invocations."""
        return {
            (*place, *key): cell
            for place, plane in self.planes.items()
            if place[0] not in _PRIVATE_SPACES
            for key, cell in plane.items()
        }


def cell_of(value: Value, lane: int) -> MemoryCell:
    """What a scalar value is on one lane."""
    return MemoryCell(
        int(value.bits[0, lane]),
        value.bit_size,
        value.poison is not None and bool(value.poison[0, lane]),
        0.0 if value.error is None else float(value.error[0, lane]),
        value.fragile is not None and bool(value.fragile[0, lane]),
    )
