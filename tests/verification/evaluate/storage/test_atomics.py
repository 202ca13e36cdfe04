"""What atomics make of two numbers, and what they are called."""

from __future__ import annotations

import struct

import pytest

from nirls.verification.evaluate.storage.atomics import (
    combine,
    is_float,
    is_swap_with_compare,
    operation_name,
)
from nirls.verification.evaluate.values.errors import Unsupported

MINUS_ONE = 0xFFFFFFFF


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


@pytest.mark.parametrize(
    ("operation", "old", "data", "expected"),
    [
        ("iadd", MINUS_ONE, 2, 1),
        ("imin", 1, MINUS_ONE, MINUS_ONE),
        ("umin", 1, MINUS_ONE, 1),
        ("imax", 1, MINUS_ONE, 1),
        ("umax", 1, MINUS_ONE, MINUS_ONE),
        ("iand", 6, 3, 2),
        ("ior", 6, 3, 7),
        ("ixor", 6, 3, 5),
        ("xchg", 6, 3, 3),
        ("inc_wrap", 2, 3, 3),
        ("inc_wrap", 3, 3, 0),
        ("dec_wrap", 0, 3, 3),
        ("dec_wrap", 2, 3, 1),
        ("dec_wrap", 9, 3, 3),
        ("fadd", bits(1.5), bits(2.0), bits(3.5)),
        ("fmin", bits(-1.0), bits(2.0), bits(-1.0)),
        ("fmax", bits(-1.0), bits(2.0), bits(2.0)),
    ],
)
def test_combine(operation: str, old: int, data: int, expected: int) -> None:
    assert combine(operation, old, data, 0, 32) == expected


def test_compare_and_swap() -> None:
    assert combine("cmpxchg", 5, 5, 9, 32) == 9
    assert combine("cmpxchg", 5, 4, 9, 32) == 5
    assert combine("fcmpxchg", bits(0.0), bits(-0.0), 9, 32) == 9, "floats compare as numbers"
    assert is_swap_with_compare("cmpxchg")
    assert not is_swap_with_compare("xchg")


def test_names_of_all_times() -> None:
    assert operation_name("ssbo_atomic", "umax") == "umax"
    assert operation_name("ssbo_atomic_add", None) == "iadd"
    assert operation_name("deref_atomic_comp_swap", None) == "cmpxchg"
    assert operation_name("global_atomic_fadd_2x32", None) == "fadd"
    assert is_float("fadd")
    assert not is_float("iadd")
    with pytest.raises(Unsupported):
        operation_name("ssbo_atomic", "frobnicate")
