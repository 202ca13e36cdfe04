"""Memory of a run: buffers, shared and scratch memory, images, cells accessed by derefs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from nirls.ir.effects import memory_class
from nirls.ir.effects.barriers import MERGED_STAGES
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.plane import Plane
from nirls.verification.evaluate.storage.races import LastAccesses, RaceWatch
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import MemoryCell, MemoryKey
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value

Place = tuple[object, ...]
Update = Callable[[MemoryCell, int], MemoryCell]

CONST_FILE = "const_file"
"""The space of registers that the preamble of a shader fills."""
PREAMBLE = "preamble"
"""The space of the values that a preamble hands on, before a driver assigns registers to them."""

_WORD_BYTES = 4
ALL_BYTES = (1 << _WORD_BYTES) - 1
"""The mask of all bytes of a word."""

_PRIVATE_SPACES = frozenset({"scratch", CONST_FILE, PREAMBLE})
_SECOND_STAGES = frozenset({Stage.TESS_CTRL, Stage.GEOMETRY})
"""Stages to which the one that they are merged with hands its outputs in shared memory."""
PAYLOAD_SPACES = frozenset({"payload", "task_payload"})
"""The payload from a task shader to its mesh shaders, accessed by offset and by variable."""


class StoredByte(NamedTuple):
    """What each lane stores to one byte of a word: the number of the byte, its bits and its marks."""

    number: Array
    bits: Array
    poison: Array
    fragile: Array


class Memory:
    """The cells that were written; all other memory comes from the environment.

    A cell is addressed by a place, the same for all lanes, and numbers that may differ between lanes.
    `draws` are those of the run, `communicating` the draws in which some lane loaded what another one had
    stored.
    With `hands_on_payload` the payload is memory between two stages of a pipeline; else it is what a task
    shader that runs alone leaves behind, or what a mesh shader that runs alone is given.
    With `numbers_by_stage` each stage has buffers of its own where they are numbered, as in OpenGL.
    While `races` is set, unordered conflicting accesses of lanes in a group make a cell undefined.
    """

    __slots__ = (
        "_draw",
        "_planes",
        "_stage",
        "_stored",
        "communicating",
        "draws",
        "environment",
        "hands_on_payload",
        "numbers_by_stage",
        "races",
    )

    def __init__(
        self, environment: Environment, *, hands_on_payload: bool = False, numbers_by_stage: bool = False
    ) -> None:
        self.environment = environment
        self.hands_on_payload = hands_on_payload
        self.numbers_by_stage = numbers_by_stage
        self._planes: dict[Place, Plane] = {}
        # The planes that were stored to, in this order.
        self._stored: dict[Place, Plane] = {}
        self.races: RaceWatch | None = None
        self.communicating: set[int] = set()
        self.draws: frozenset[int] = frozenset()
        self._draw: Array | None = None
        self._stage: Stage | None = None

    def begin(self, races: RaceWatch | None, draw: Array | None = None, stage: Stage | None = None) -> None:
        """Start another run with new lanes of these draws."""
        self.races = races
        self._draw = draw
        self._stage = stage
        self.communicating = set()
        self.draws = frozenset((0,) if draw is None else np.unique(draw).tolist())
        for plane in self._planes.values():
            plane.begin()

    def numbered(self, space: str, stage: Stage) -> Place:
        """Return the place of buffers that a stage numbers, or has alone."""
        return (f"{space} of {stage.abbreviation}" if self.numbers_by_stage else space,)

    def _plane(self, place: Place) -> Plane:
        plane = self._planes.get(place)
        if plane is None:
            plane = self._planes[place] = Plane()
        return plane

    def _watched(self, place: Place, plane: Plane) -> tuple[RaceWatch, LastAccesses] | None:
        """Return the watch and the last accesses of a place; None if its accesses need no order."""
        mode = memory_class(str(place[0]))
        if self.races is None or mode is None:
            return None
        return self.races, self.races.last_accesses(place, mode, plane.size)

    def _keys(self, indices: Sequence[Array], lanes: Array) -> Iterator[tuple[int, ...]]:
        """Yield the cell key of each lane. Draws have separate cells; the last number is the draw."""
        columns = [
            np.broadcast_to(index, (index.shape if self._draw is None else self._draw.shape))[lanes].tolist()
            for index in indices
        ]
        if self._draw is not None:
            columns.append(self._draw[lanes].tolist())
        return zip(*columns, strict=True) if columns else repeat((), len(lanes))

    def _note_loads(self, stored_by_others: Array, lanes: Array) -> None:
        if stored_by_others.any():
            draws = np.zeros(1, np.int64) if self._draw is None else self._draw[lanes[stored_by_others]]
            self.communicating.update(np.unique(draws).tolist())

    def writers_of_visible_cells(self) -> dict[MemoryKey, frozenset[int]]:
        """Return the lanes of this run that stored to each cell."""
        found: dict[MemoryKey, frozenset[int]] = {}
        for place, plane in self._stored.items():
            if not self._is_private(place):
                found.update(plane.writers(place))
        return found

    def _is_private(self, place: Place) -> bool:
        if place[0] == "shared":
            return self._stage not in MERGED_STAGES
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
        plane = self._stored.get(place)
        is_watched = self.races is not None and memory_class(str(place[0])) is not None
        return (plane is None or plane.is_untouched) and not is_watched

    def load(
        self,
        place: Place,
        indices: Sequence[Array],
        untouched: Value,
        active: Array,
        wanted: Array | None = None,
    ) -> Value:
        """Load one component on all lanes: the stored value, or `untouched` if there is none.

        It is undefined if one of its bytes is, of those in the mask `wanted` of the lane if there is one.
        """
        if self.is_untouched(place):
            return untouched
        plane, lanes = self._plane(place), np.nonzero(active)[0]
        numbers = plane.numbers(self._keys(indices, lanes))
        bits, poison = untouched.bits.copy(), np.zeros(untouched.bits.shape, np.bool_)
        if untouched.poison is not None:
            poison |= untouched.poison
        error, fragile = np.zeros(bits.shape, np.float64), np.zeros(bits.shape, np.bool_)
        there = plane.is_stored[numbers]
        cells, found = numbers[there], lanes[there]
        bits[0, found] = plane.bits[cells] & np.uint64((1 << untouched.bit_size) - 1)
        holes = plane.holes[cells] if wanted is None else plane.holes[cells] & wanted[found]
        poison[0, found], error[0, found] = plane.poison[cells] | (holes != 0), plane.error[cells]
        fragile[0, found] = plane.fragile[cells]
        self._note_loads(plane.was_stored_by_others(numbers, lanes), lanes)
        watched = self._watched(place, plane)
        if watched is not None:
            races, last = watched
            poison[0, lanes] |= races.load(last, numbers, lanes)
        return Value.of_arrays(bits, untouched.bit_size, poison, error, fragile)

    def store(self, place: Place, indices: Sequence[Array], value: Value, active: Array) -> None:
        """Store one component of the running lanes; on collisions the last lane wins."""
        plane = self._stored.setdefault(place, self._plane(place))
        lanes = np.nonzero(active)[0]
        stores = LaneAccesses(plane.numbers(self._keys(indices, lanes)), lanes)
        ends = stores.ends
        cells, lanes = stores.places[ends], stores.lanes[ends]
        undefined = None if value.poison is None else value.poison[0, stores.lanes]
        poison = np.zeros(len(lanes), np.bool_) if undefined is None else undefined[ends]
        fragile = np.zeros(len(lanes), np.bool_) if value.fragile is None else value.fragile[0, lanes]
        watched = self._watched(place, plane)
        if watched is not None:
            races, last = watched
            bits = value.bits[0, stores.lanes].astype(np.uint64)
            at = stores.places
            is_defined, old = plane.is_stored[at] & ~plane.poison[at] & (plane.holes[at] == 0), plane.bits[at]
            is_rounded = (plane.error[at] > NEGLIGIBLE) | plane.fragile[at]
            is_doubtful = races.doubtful(last, stores, value, is_defined & (old == bits), is_rounded)
            fragile = fragile | stores.has_begun(is_doubtful)[ends]
            changes = stores.changes(bits, old, is_defined, undefined)
            # Only the content that remains can be undefined.
            poison = poison | races.store(last, stores, changes)[ends]
        plane.note_stores(stores)
        plane.bits[cells], plane.bit_size[cells] = value.bits[0, lanes], value.bit_size
        plane.poison[cells] = poison
        plane.error[cells] = 0.0 if value.error is None else value.error[0, lanes]
        plane.fragile[cells], plane.holes[cells] = fragile, 0

    def store_byte(
        self, place: Place, indices: Sequence[Array], untouched: Value, byte: StoredByte, active: Array
    ) -> None:
        """Store a byte of a word on the running lanes; on collisions the last lane wins.

        A word that nothing was stored to has the bytes of `untouched`. Races are not looked for.
        """
        plane = self._stored.setdefault(place, self._plane(place))
        lanes = np.nonzero(active)[0]
        stores = LaneAccesses(plane.numbers(self._keys(indices, lanes)), lanes)
        lanes = stores.lanes
        others = plane.was_stored_by_others(stores.places, lanes) | ~stores.is_first
        self._note_loads(others, lanes)
        cells, first = stores.places[stores.starts], lanes[stores.starts]
        is_fresh = ~plane.is_stored[cells]
        bits, poison = plane.bits[cells], plane.poison[cells]
        bits[is_fresh] = untouched.bits[0, first[is_fresh]]
        if untouched.poison is not None:
            poison[is_fresh] = untouched.poison[0, first[is_fresh]]
        position, number = np.cumsum(stores.is_first) - 1, byte.number[lanes]
        content = bits.astype("<u4").view(np.uint8).reshape(-1, _WORD_BYTES)
        content[position, number] = byte.bits[lanes]
        undefined = plane.holes[cells, None] >> np.arange(_WORD_BYTES) & 1 | poison[:, None]
        undefined[position, number] = byte.poison[lanes]
        holes = np.packbits(undefined, axis=1, bitorder="little")[:, 0]
        fragile = plane.fragile[cells] | (plane.error[cells] > NEGLIGIBLE)
        fragile[position[byte.fragile[lanes]]] = True
        plane.note_stores(stores)
        plane.bits[cells], plane.bit_size[cells] = content.view("<u4")[:, 0], 8 * _WORD_BYTES
        plane.poison[cells], plane.holes[cells] = holes == ALL_BYTES, holes % ALL_BYTES
        plane.error[cells], plane.fragile[cells] = 0.0, fragile

    def update(
        self,
        place: Place,
        indices: Sequence[Array],
        untouched: Value,
        change: Update,
        active: Array,
    ) -> Value:
        """Read-modify-write by every running lane in turn; return the previous content for each lane."""
        plane = self._stored.setdefault(place, self._plane(place))
        lanes = np.nonzero(active)[0]
        numbers = plane.numbers(self._keys(indices, lanes))
        accesses = LaneAccesses(numbers, lanes)
        others = plane.was_stored_by_others(accesses.places, accesses.lanes) | ~accesses.is_first
        self._note_loads(others, accesses.lanes)
        races_if_changed = self._races_of_update(place, plane, accesses)
        content = plane.contents(accesses.places[accesses.starts])
        found = []
        for lane, number, may_race in zip(
            lanes.tolist(), numbers.tolist(), races_if_changed.tolist(), strict=True
        ):
            cell = content.get(number) or cell_of(untouched, lane)
            found.append(cell)
            new = change(cell, lane)
            races = may_race and (cell.poison or cell.holes != 0 or cell.bits != new.bits)
            content[number] = new._replace(poison=True) if races else new
        plane.note_stores(accesses)
        plane.put(content)
        shape, mask = (1, len(active)), (1 << untouched.bit_size) - 1
        bits, error = np.zeros(shape, container_type(untouched.bit_size)), np.zeros(shape)
        poison, fragile = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        bits[0, lanes] = [cell.bits & mask for cell in found]
        poison[0, lanes] = [cell.poison or cell.holes != 0 for cell in found]
        error[0, lanes] = [cell.error for cell in found]
        fragile[0, lanes] = [cell.fragile for cell in found]
        return Value.of_arrays(bits, untouched.bit_size, poison, error, fragile)

    def _races_of_update(self, place: Place, plane: Plane, accesses: LaneAccesses) -> Array:
        """Record an update; return for each lane whether its store races if it changes the content."""
        nowhere = np.zeros(len(accesses), np.bool_)
        watched = self._watched(place, plane)
        if watched is None:
            return nowhere
        races, last = watched
        with races.atomically():
            return accesses.unsorted(races.store(last, accesses, ~nowhere))

    def visible_cells(self) -> dict[MemoryKey, MemoryCell]:
        """Return all written cells that outlive the invocations."""
        found: dict[MemoryKey, MemoryCell] = {}
        for place, plane in self._stored.items():
            if not self._is_private(place):
                found.update(plane.cells(place))
        return found


def cell_of(value: Value, lane: int) -> MemoryCell:
    """Return a scalar value on one lane as a memory cell."""
    return MemoryCell(
        int(value.bits[0, lane]),
        value.bit_size,
        value.poison is not None and bool(value.poison[0, lane]),
        0.0 if value.error is None else float(value.error[0, lane]),
        value.fragile is not None and bool(value.fragile[0, lane]),
    )
