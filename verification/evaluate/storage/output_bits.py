"""Outputs as bits: which outputs share some, and reads that are not of the width that was stored.

A slot has eight halves of 16 bits, two for each component. Outputs are kept by the half at which they start
(`OutputKey`), so a 16-bit one in the upper half of a component, a 32-bit one that fills it, and a 64-bit one
that starts a component earlier have different keys and the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from nirls.ir.io.access import HALVES_OF_A_SLOT
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, undefined_value

_HALF_BITS = 16
_MOST_HALVES = 4

Planes = Mapping[OutputKey, OutputPlane]
Places = tuple[Array, Array, Array]
"""Instance and vertex that each lane reads of a plane, and whether the plane has them."""


def halves_of(bit_size: int) -> int:
    """Return the number of halves that a scalar fills, one at least."""
    return max(bit_size // _HALF_BITS, 1)


@lru_cache(maxsize=4096)
def neighbours(key: OutputKey) -> tuple[tuple[OutputKey, int], ...]:
    """Return the other outputs that may share bits with one, and their distance in halves.

    There are none for an output that has no slot in the dump.
    """
    if not isinstance(key.slot, int):
        return ()
    start = key.slot * HALVES_OF_A_SLOT + key.component * 2 + key.high_16bits
    found = []
    for distance in range(1 - _MOST_HALVES, _MOST_HALVES):
        slot, half = divmod(start + distance, HALVES_OF_A_SLOT)
        # Only 16-bit outputs start at an upper half.
        is_reached = distance > 0 or half % 2 == 0
        if distance and is_reached:
            found.append((OutputKey(slot, half // 2, bool(half % 2)), distance))
    return tuple(found)


def destroy_shared(planes: Planes, key: OutputKey, bit_size: int, instance: Array, vertex: Array) -> None:
    """Make other outputs undefined of which a store to `key` has overwritten some bits."""
    own = halves_of(bit_size)
    for other, distance in neighbours(key):
        plane = planes.get(other)
        if plane is None or distance >= own:
            continue
        inside = vertex < plane.vertices
        at = (instance[inside], vertex[inside])
        is_shared = plane.written[at]
        if distance < 0:
            is_shared = is_shared & (plane.bit_size[at] > -distance * _HALF_BITS)
        if is_shared.any():
            plane.poison[at] |= is_shared


def read_bits(
    planes: Planes, key: OutputKey, bit_size: int, locate: Callable[[OutputPlane], Places]
) -> Value | None:
    """Read an output on all lanes, whatever its parts were stored as; None if no store has reached any of it.

    Undefined where a part was not stored. What is not read at the width at which it was stored depends on
    rounding if the stored number does.
    """
    sources = list(_sources(planes, key, bit_size))
    if not sources:
        return None
    if len(sources) == 1 and sources[0][0] is planes.get(key):
        plane = sources[0][0]
        instance, vertex, inside = locate(plane)
        at = (instance, vertex)
        sizes = plane.bit_size[at]
        if (sizes[plane.written[at]] == bit_size).all():
            return Value.of_arrays(
                plane.bits_at(at, bit_size),
                bit_size,
                (~plane.written[at] | plane.poison[at] | ~inside)[None],
                plane.error[at][None],
                plane.fragile[at][None],
            )
    return _assembled(sources, bit_size, locate)


def _sources(planes: Planes, key: OutputKey, bit_size: int) -> Iterator[tuple[OutputPlane, int]]:
    """Yield the planes that may hold some of the bits, with their distance in halves."""
    for other, distance in ((key, 0), *neighbours(key)):
        plane = planes.get(other)
        if plane is None or distance >= halves_of(bit_size):
            continue
        if distance >= 0 or int(plane.bit_size.max(initial=0)) > -distance * _HALF_BITS:
            yield plane, distance


def _assembled(
    sources: list[tuple[OutputPlane, int]], bit_size: int, locate: Callable[[OutputPlane], Places]
) -> Value:
    wanted = halves_of(bit_size)
    result: Value | None = None
    for plane, distance in sources:
        instance, vertex, inside = locate(plane)
        at = (instance, vertex)
        if result is None:
            result = undefined_value(1, 64, len(instance))
            missing = np.ones((wanted, len(instance)), np.bool_)
            error = np.zeros((1, len(instance)))
            fragile = np.zeros((1, len(instance)), np.bool_)
        is_there = plane.written[at] & ~plane.poison[at] & inside
        sizes, bits = plane.bit_size[at], plane.bits[at]
        is_whole = (distance == 0) & (sizes == bit_size)
        used = np.zeros(len(instance), np.bool_)
        for half in range(wanted):
            source = half - distance
            if source < 0:
                continue
            has = is_there & (np.maximum(sizes, 1) > source * _HALF_BITS)
            shift = np.uint64(source * _HALF_BITS)
            part = (bits >> shift & np.uint64(0xFFFF)) << np.uint64(half * _HALF_BITS)
            result.bits[0] |= np.where(has, part, np.uint64(0))
            missing[half] &= ~has
            used |= has
        error[0] = np.where(is_whole & used, plane.error[at], error[0])
        is_rounded: Array = plane.error[at] > NEGLIGIBLE
        fragile[0] |= used & (plane.fragile[at] | ~is_whole & is_rounded)
    assert result is not None
    unknown: Array = np.logical_or.reduce(missing, axis=0)
    low = result.bits & np.uint64((1 << bit_size) - 1)
    return Value.of_arrays(low.astype(container_type(bit_size)), bit_size, unknown[None], error, fragile)


def plane_of_width(planes: Planes, key: OutputKey, bit_size: int) -> OutputPlane | None:
    """Return an output as read at a width on all instances and vertices; None if nothing stores to it."""
    sources = [plane for plane, _ in _sources(planes, key, bit_size)]
    if not sources:
        return None
    instances, vertices = len(sources[0].bits), max(plane.vertices for plane in sources)
    instance, vertex = (numbers.reshape(-1) for numbers in np.indices((instances, vertices)))

    def locate(plane: OutputPlane) -> Places:
        inside = vertex < plane.vertices
        return instance, np.where(inside, vertex, 0), inside

    value = read_bits(planes, key, bit_size, locate)
    assert value is not None
    shape = (instances, vertices)
    result = OutputPlane(instances, vertices)
    result.bits = value.bits.astype(np.uint64).reshape(shape)
    for plane in sources:
        result.written[:, : plane.vertices] |= plane.written
    result.bit_size = np.where(result.written, bit_size, 0).astype(np.uint8)
    for name in ("poison", "error", "fragile"):
        marks = getattr(value, name)
        if marks is not None:
            setattr(result, name, np.broadcast_to(marks, (1, instances * vertices)).reshape(shape).copy())
    return result


def at_common_widths(before: Planes, after: Planes) -> tuple[Planes, Planes]:
    """Return the outputs of two runs, those that only one side stores in parts in the parts of the other."""
    widths = [
        {
            key: int(plane.bit_size.max(initial=0))
            for key, plane in planes.items()
            if isinstance(key.slot, int)
        }
        for planes in (before, after)
    ]
    parts: dict[OutputKey, int] = {}
    for own, others in (widths, widths[::-1]):
        for key, width in own.items():
            if width <= _HALF_BITS:
                continue
            for other, distance in ((key, 0), *neighbours(key)):
                narrower = others.get(other, 0)
                if 0 < narrower < width and 0 <= distance < halves_of(width):
                    parts[key] = min(parts.get(key, width), max(narrower, _HALF_BITS))
    if not parts:
        return before, after
    divided: list[dict[OutputKey, OutputPlane]] = []
    for planes in (before, after):
        result = dict(planes)
        for key, width in parts.items():
            first = key.component * 2
            for half in range(0, halves_of(max(width, *(side.get(key, 0) for side in widths))), width // 16):
                slot, within = divmod(first + half, HALVES_OF_A_SLOT)
                part = OutputKey(int(key.slot) + slot, within // 2, bool(within % 2))
                plane = plane_of_width(planes, part, width)
                if plane is not None:
                    result[part] = plane
        divided.append(result)
    return divided[0], divided[1]
