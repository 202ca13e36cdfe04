"""Hashes: fixed, spread out, and different by every part."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.hashing import fraction, lane_hash, name_hash, scramble


def test_names_with_the_same_letters_differ() -> None:
    assert name_hash("ab", "c") != name_hash("a", "bc")
    assert name_hash(1) != name_hash("1")
    assert name_hash("x") == name_hash("x")


def test_scrambling_loses_nothing() -> None:
    numbers = np.arange(10000, dtype=np.uint64)
    assert len(np.unique(scramble(numbers))) == 10000


def test_the_order_of_parts_matters_and_a_number_is_like_an_array_of_it() -> None:
    lanes = np.arange(16)
    assert (lane_hash(1, lanes, 3) != lane_hash(1, 3, lanes)).any()
    assert (lane_hash(1, lanes, 3) == lane_hash(1, lanes, np.full(16, 3))).all()
    assert lane_hash(1, -1) == lane_hash(1, np.array([-1]))


def test_rows_of_starts_are_rows_of_hashes() -> None:
    starts = np.array([[5], [6]], np.uint64)
    table = lane_hash(starts, np.arange(4))
    assert table.shape == (2, 4)
    assert (table[1] == lane_hash(6, np.arange(4))).all()


def test_fractions_are_even() -> None:
    numbers = fraction(lane_hash(9, np.arange(20000)))
    assert ((numbers >= 0) & (numbers < 1)).all()
    counts = np.histogram(numbers, 10, (0, 1))[0]
    assert counts.min() > 1800
    assert counts.max() < 2200
