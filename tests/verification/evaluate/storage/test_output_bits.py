"""Outputs that share bits, and reads of other widths."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.storage.output_bits import (
    at_common_widths,
    halves_of,
    neighbours,
    plane_of_width,
)
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import shader_of

X, HIGH, Y, Z = OutputKey(32, 0), OutputKey(32, 0, True), OutputKey(32, 1), OutputKey(32, 2)
ALL = np.ones(4, np.bool_)


def _store() -> OutputStore:
    return OutputStore(launch_for(shader_of("    block b0:"), 4))


def _value(bits: int, bit_size: int) -> Value:
    return Value(np.full((1, 4), bits, f"u{bit_size // 8}"), bit_size)


def _read(store: OutputStore, key: OutputKey, bit_size: int) -> int | None:
    """The bits of the first lane, None if they are undefined."""
    value = store.load(key, bit_size, 4)
    is_undefined = value.poison is not None and bool(value.poison[0, 0])
    return None if is_undefined else int(value.bits[0, 0])


def test_the_number_of_halves_and_who_shares_them() -> None:
    assert [halves_of(bits) for bits in (1, 8, 16, 32, 64)] == [1, 1, 1, 2, 4]
    assert set(neighbours(X)) == {
        (OutputKey(31, 3), -2),
        (HIGH, 1),
        (Y, 2),
        (OutputKey(32, 1, True), 3),
    }
    assert set(neighbours(HIGH)) == {
        (OutputKey(31, 3), -3),
        (X, -1),
        (Y, 1),
        (OutputKey(32, 1, True), 2),
        (Z, 3),
    }
    assert not neighbours(OutputKey("a struct member", 0))


@pytest.mark.parametrize(
    ("stores", "reads"),
    [
        ([(X, 0xAAAABBBB, 32)], {(X, 32): 0xAAAABBBB, (X, 16): 0xBBBB, (HIGH, 16): 0xAAAA, (X, 64): None}),
        ([(X, 0xBBBB, 16)], {(X, 16): 0xBBBB, (X, 32): None, (HIGH, 16): None}),
        ([(X, 0xBBBB, 16), (HIGH, 0xAAAA, 16)], {(X, 32): 0xAAAABBBB}),
        ([(X, 0x1_00000002, 64)], {(X, 64): 0x1_00000002, (X, 32): 2, (Y, 32): 1, (Z, 32): None}),
        ([(X, 2, 32), (Y, 1, 32)], {(X, 64): 0x1_00000002, (Y, 32): 1}),
        ([(X, 7, 32), (HIGH, 1, 16)], {(X, 32): None, (HIGH, 16): 1}),
        ([(HIGH, 1, 16), (X, 7, 32)], {(X, 32): 7}),
        ([(X, 7, 64), (Y, 1, 32)], {(X, 64): None, (X, 32): None, (Y, 32): 1}),
        ([(Y, 1, 32), (X, 7, 64)], {(X, 64): 7, (Y, 32): 0}),
        ([(X, 7, 32), (Y, 1, 32)], {(X, 32): 7, (Y, 32): 1}),
    ],
)
def test_what_a_read_sees_of_stores(
    stores: list[tuple[OutputKey, int, int]], reads: dict[tuple[OutputKey, int], int | None]
) -> None:
    store = _store()
    for key, bits, bit_size in stores:
        store.store(key, _value(bits, bit_size), ALL)
    assert {place: _read(store, *place) for place in reads} == reads


def test_a_part_of_a_rounded_float_depends_on_rounding() -> None:
    store = _store()
    rounded = _value(0x3F800000, 32)
    rounded.error = np.full((1, 4), 1e-7)
    store.store(X, rounded, ALL)
    assert store.load(X, 32, 4).error is not None
    part = store.load(HIGH, 16, 4)
    assert part.error is None
    assert part.fragile is not None
    assert part.fragile.all()


def test_stores_destroy_only_in_the_lanes_that_store() -> None:
    store = _store()
    store.store(X, _value(7, 32), ALL)
    store.store(HIGH, _value(1, 16), np.arange(4) < 1)
    poison = store.load(X, 32, 4).poison
    assert poison is not None
    assert poison.tolist() == [[True, False, False, False]]


def test_what_one_side_stores_in_parts_is_compared_in_parts() -> None:
    whole, parts = _store(), _store()
    whole.store(X, _value(0x1_00000002, 64), ALL)
    parts.store(X, _value(2, 32), ALL)
    parts.store(Y, _value(1, 32), ALL)
    for before, after in ((whole, parts), (parts, whole)):
        sides = at_common_widths(before.planes, after.planes)
        assert [{key: int(plane.bits[0, 0]) for key, plane in side.items()} for side in sides] == [
            {X: 2, Y: 1},
            {X: 2, Y: 1},
        ]
    same = at_common_widths(whole.planes, whole.planes)
    assert same == (whole.planes, whole.planes)


def test_an_output_that_nothing_stores_to_has_no_plane() -> None:
    store = _store()
    store.store(X, _value(1, 64), ALL)
    assert plane_of_width(store.planes, Z, 32) is None
    word = plane_of_width(store.planes, Y, 32)
    assert word is not None
    assert word.written.all()
