"""Hashes of names, numbers and lanes, the same in every run and on every machine."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np

from nirls.verification.evaluate.values.arrays import Array

_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


@lru_cache(8192)
def name_hash(*parts: object) -> int:
    """Hash a tuple of strings, numbers and nested tuples to 64 bits."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "little")


def scramble(bits: Array) -> Array:
    """Permute 64-bit integers with the finalizer of SplitMix64."""
    bits = (bits ^ (bits >> _SHIFTS[0])) * _MULTIPLIERS[0]
    bits = (bits ^ (bits >> _SHIFTS[1])) * _MULTIPLIERS[1]
    return bits ^ (bits >> _SHIFTS[2])


def lane_hash(start: int | Array, *parts: Array | int) -> Array:
    """Compute a 64-bit hash for every lane from a start value and parts that may differ between lanes.

    A column of start values gives a row of hashes for each.
    """
    first = np.asarray([start & 0xFFFFFFFFFFFFFFFF], np.uint64) if isinstance(start, int) else start
    state: Array = first
    for part in parts:
        if isinstance(part, int):
            number = np.asarray([part & 0xFFFFFFFFFFFFFFFF], np.uint64)
        else:
            number = part.astype(np.uint64)
        state = scramble(state * _GOLDEN + number + _GOLDEN)
    return state


def fraction(hashes: Array) -> Array:
    """Convert the top 53 bits of each hash to a float64 in [0, 1)."""
    return (hashes >> np.uint64(11)).astype(np.float64) * 2.0**-53
