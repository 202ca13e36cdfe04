"""Planes of memory: cells by key, the order of stores, and who stored."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.plane import CellKey, Plane
from nirls.verification.evaluate.surroundings.result import MemoryCell

CELL = MemoryCell((1 << 64) - 1, 64, True, 0.5, True)


def store(plane: Plane, keys: list[CellKey], lanes: list[int]) -> None:
    plane.note_stores(LaneAccesses(plane.numbers(keys), np.array(lanes)))


def test_keys_are_numbered_as_they_come_and_keep_their_numbers() -> None:
    plane = Plane()
    assert plane.numbers([(4, -1), (2**63, 0), (4, -1)]).tolist() == [0, 1, 0]
    assert plane.numbers([(7, 0), (2**63, 0)]).tolist() == [2, 1]
    assert plane.size >= 3


def test_cells_are_listed_in_the_order_of_their_first_stores() -> None:
    plane = Plane()
    plane.numbers([(3,), (2,), (1,)])
    assert plane.is_untouched
    store(plane, [(1,), (9,), (1,)], [0, 1, 2])
    store(plane, [(2,), (9,)], [0, 1])
    assert not plane.is_untouched
    assert [key for key, _ in plane.cells()] == [(1,), (9,), (2,)]


def test_a_cell_holds_all_that_is_put_into_it() -> None:
    plane = Plane()
    numbers = plane.numbers([(1,), (2,), (3,)])
    store(plane, [(1,), (3,)], [0, 1])
    plane.put({0: CELL, 2: MemoryCell(5, 32)})
    assert plane.contents(numbers) == {0: CELL, 2: MemoryCell(5, 32)}
    assert dict(plane.cells()) == {(1,): CELL, (3,): MemoryCell(5, 32)}


def test_writers_are_those_of_one_run() -> None:
    plane, lanes = Plane(), np.array([4, 5, 5, 5])
    store(plane, [(1,), (2,), (1,), (3,)], [0, 1, 4, 5])
    store(plane, [(2,), (3,)], [1, 7])
    numbers = plane.numbers([(1,), (2,), (3,), (4,)])
    assert dict(plane.writers()) == {(1,): {0, 4}, (2,): {1}, (3,): {5, 7}}
    assert plane.was_stored_by_others(numbers, lanes).tolist() == [True, True, True, False]
    assert plane.was_stored_by_others(numbers[1:2], np.array([1])).tolist() == [False]
    plane.begin()
    assert dict(plane.writers()) == {}
    assert not plane.was_stored_by_others(numbers, lanes).any()
    store(plane, [(2,)], [3])
    assert dict(plane.writers()) == {(2,): {3}}
    assert [key for key, _ in plane.cells()] == [(1,), (2,), (3,)]
