"""Memory of a run: buffers, shared and scratch memory, images, cells accessed by derefs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.races import RaceWatch, memory_class
from nirls.ir.evaluate.result import MemoryCell, MemoryKey
from nirls.ir.evaluate.value import Value
from nirls.ir.model.stage import Stage

Array = NDArray[Any]
Place = tuple[object, ...]
Update = Callable[[MemoryCell, int], MemoryCell]

CONST_FILE = "const_file"
"""The space of registers that the preamble of a shader fills."""

_PRIVATE_SPACES = frozenset({"scratch", CONST_FILE})
_MERGED_STAGES = frozenset({Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY})
"""Stages that have no shared memory of their own. AMD's drivers merge two of them into one hardware stage, in
which the first hands its outputs to the second in local memory."""
_SECOND_STAGES = frozenset({Stage.TESS_CTRL, Stage.GEOMETRY})
PAYLOAD_SPACES = frozenset({"payload", "task_payload"})
"""The payload from a task shader to its mesh shaders, accessed by offset and by variable."""


class Memory:
    """The cells that were written; all other memory comes from the environment.

    A cell is addressed by a place, the same for all lanes, and numbers that may differ between lanes.
    `communicating` are the draws in which some lane loaded what another one had stored.
    With `hands_on_payload` the payload is memory between two stages of a pipeline; else it is what a task
    shader that runs alone leaves behind, or what a mesh shader that runs alone is given.
    While `races` is set, unordered conflicting accesses of lanes in a group make a cell undefined.
    """

    __slots__ = (
        "_draw",
        "_stage",
        "communicating",
        "environment",
        "hands_on_payload",
        "planes",
        "races",
        "writers",
    )

    def __init__(self, environment: Environment, *, hands_on_payload: bool = False) -> None:
        self.environment = environment
        self.hands_on_payload = hands_on_payload
        self.planes: dict[Place, dict[tuple[int, ...], MemoryCell]] = {}
        self.races: RaceWatch | None = None
        self.writers: dict[tuple[Place, tuple[int, ...]], set[int]] = {}
        self.communicating: set[int] = set()
        self._draw: Array | None = None
        self._stage: Stage | None = None

    def begin(self, races: RaceWatch | None, draw: Array | None = None, stage: Stage | None = None) -> None:
        """Start another run with new lanes of these draws."""
        self.races = races
        self._draw = draw
        self._stage = stage
        self.writers = {}
        self.communicating = set()

    def _keys(self, indices: Sequence[Array], lanes: Array) -> Iterator[tuple[int, ...]]:
        """Yield the cell key of each lane. Draws have separate cells; the last number is the draw."""
        columns = [np.broadcast_to(index, self._size(index))[lanes].tolist() for index in indices]
        if self._draw is not None:
            columns.append(self._draw[lanes].tolist())
        return zip(*columns, strict=True) if columns else repeat((), len(lanes))

    def _size(self, index: Array) -> tuple[int, ...]:
        return index.shape if self._draw is None else self._draw.shape

    def _note_load(self, place: Place, key: tuple[int, ...], lane: int) -> None:
        writers = self.writers.get((place, key))
        if writers is not None and (len(writers) > 1 or lane not in writers):
            self.communicating.add(0 if self._draw is None else int(self._draw[lane]))

    def writers_of_visible_cells(self) -> dict[MemoryKey, frozenset[int]]:
        """Return the lanes of this run that stored to each cell."""
        return {
            (*place, *key): frozenset(lanes)
            for (place, key), lanes in self.writers.items()
            if not self._is_private(place)
        }

    def _is_private(self, place: Place) -> bool:
        if place[0] == "shared":
            return self._stage not in _MERGED_STAGES
        return place[0] in _PRIVATE_SPACES or (self.hands_on_payload and place[0] in PAYLOAD_SPACES)

    def starts_undefined(self, space: object, stage: Stage) -> bool:
        """Return whether memory of a space has no defined contents before a stage stores to it."""
        if space in PAYLOAD_SPACES:
            return self.hands_on_payload or stage is Stage.TASK
        if space == "shared":
            return stage not in _SECOND_STAGES
        return space == "scratch"

    def is_untouched(self, place: Place) -> bool:
        """Return whether nothing was stored there and loads need not be recorded."""
        return not self.planes.get(place) and (self.races is None or memory_class(str(place[0])) is None)

    def load(self, place: Place, indices: Sequence[Array], untouched: Value, active: Array) -> Value:
        """Load one component on all lanes: the stored value, or `untouched` if there is none."""
        if self.is_untouched(place):
            return untouched
        plane = self.planes.get(place, {})
        races, mode = self.races, memory_class(str(place[0]))
        bit_size = untouched.bit_size
        bits = untouched.bits.copy()
        poison = np.zeros(bits.shape, np.bool_) if untouched.poison is None else untouched.poison.copy()
        error, fragile = np.zeros(bits.shape, np.float64), np.zeros(bits.shape, np.bool_)
        lanes = np.nonzero(active)[0]
        for lane, key in zip(lanes.tolist(), self._keys(indices, lanes), strict=True):
            cell = plane.get(key)
            if cell is not None:
                bits[0, lane] = cell.bits & ((1 << bit_size) - 1)
                poison[0, lane], error[0, lane] = cell.poison, cell.error
                fragile[0, lane] = cell.fragile
                self._note_load(place, key, lane)
            if races is not None and mode is not None and races.load(mode, (place, key), lane):
                poison[0, lane] = True
        return Value(
            bits,
            bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def store(self, place: Place, indices: Sequence[Array], value: Value, active: Array) -> None:
        """Store one component of the running lanes; on collisions the last lane wins."""
        plane = self.planes.setdefault(place, {})
        lanes = np.nonzero(active)[0]
        for lane, key in zip(lanes.tolist(), self._keys(indices, lanes), strict=True):
            plane[key] = self._watched(place, key, cell_of(value, lane), lane)

    def _watched(self, place: Place, key: tuple[int, ...], cell: MemoryCell, lane: int) -> MemoryCell:
        """Return the cell that a lane stores, undefined on a race."""
        self.writers.setdefault((place, key), set()).add(lane)
        races, mode = self.races, memory_class(str(place[0]))
        if races is None or mode is None:
            return cell
        old = self.planes[place].get(key)
        changes = old is None or old.bits != cell.bits
        return cell._replace(poison=True) if races.store(mode, (place, key), lane, changes) else cell

    def update(
        self,
        place: Place,
        indices: Sequence[Array],
        untouched: Value,
        change: Update,
        active: Array,
        *,
        is_atomic: bool = True,
    ) -> Value:
        """Read-modify-write by every running lane in turn; return the previous content for each lane.

        Without `is_atomic` it only stores part of the cell; such places are not checked for races.
        """
        plane = self.planes.setdefault(place, {})
        races = self.races
        shape = (1, len(active))
        bits, error = np.zeros(shape, container_type(untouched.bit_size)), np.zeros(shape)
        poison, fragile = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        mask = (1 << untouched.bit_size) - 1
        lanes = np.nonzero(active)[0]
        for lane, key in zip(lanes.tolist(), self._keys(indices, lanes), strict=True):
            cell = plane.get(key) or cell_of(untouched, lane)
            self._note_load(place, key, lane)
            bits[0, lane] = cell.bits & mask
            poison[0, lane], error[0, lane], fragile[0, lane] = cell.poison, cell.error, cell.fragile
            new = change(cell, lane)
            if is_atomic:
                with nullcontext() if races is None else races.atomically():
                    new = self._watched(place, key, new, lane)
            else:
                self.writers.setdefault((place, key), set()).add(lane)
                if races is not None:
                    races.forget([(place, key)])
            plane[key] = new
        return Value(
            bits,
            untouched.bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def visible_cells(self) -> dict[MemoryKey, MemoryCell]:
        """Return all written cells that outlive the invocations."""
        return {
            (*place, *key): cell
            for place, plane in self.planes.items()
            if not self._is_private(place)
            for key, cell in plane.items()
        }


def cell_of(value: Value, lane: int) -> MemoryCell:
    """Return a scalar value on one lane as a memory cell."""
    return MemoryCell(
        int(value.bits[0, lane]),
        value.bit_size,
        value.poison is not None and bool(value.poison[0, lane]),
        0.0 if value.error is None else float(value.error[0, lane]),
        value.fragile is not None and bool(value.fragile[0, lane]),
    )
