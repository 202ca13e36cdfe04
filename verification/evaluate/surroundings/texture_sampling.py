"""Texture contents: smooth functions of the coordinates, different for every texture and channel.

Samples at nearly equal coordinates have nearly equal colours, so a rounding difference in a coordinate
stays small, while a wrong coordinate, level, layer, offset or texture changes the result. An environment may
make textures sharp, so that the next float as a coordinate changes the result too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.hashing import fraction, lane_hash, name_hash
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import Pointer, lanes_of, variable_name
from nirls.verification.evaluate.values.value import LEAST_ERROR, Value


def handle_of_pointer(pointer: Pointer, lanes: int) -> tuple[Array, Marks]:
    """Return hash and marks of an opaque variable or array element."""
    variable = pointer.root.variable
    name = "descriptor" if variable is None else variable_name(variable)
    numbers = [lanes_of(index, lanes) for index in pointer.indices()]
    if pointer.root.descriptor is not None:
        numbers.append(pointer.root.descriptor)
    hashes = np.broadcast_to(lane_hash(name_hash("opaque", name, pointer.shape()), *numbers), (lanes,))
    marks = Marks.of(*pointer.indices())
    for mask, other in pointer.others:
        inner, inner_marks = handle_of_pointer(other, lanes)
        hashes = np.where(mask, inner, hashes)
        marks.join(inner_marks)
    return hashes, marks


def handle_of_value(kind: str, value: Value, lanes: int) -> tuple[Array, Marks]:
    """Return hash and marks of a bindless handle, or of an index into the bound textures or images."""
    if value.pointer is not None:
        return handle_of_pointer(value.pointer, lanes)
    hashes = np.broadcast_to(lane_hash(name_hash("handle", kind), *value.bits), (lanes,))
    return hashes, Marks.of(value)


def query_numbers(
    environment: Environment, what: str, resource: Array, width: int, level: Array | None
) -> Array:
    """Return the generated answer to a query of textures or images, a row for each component.

    It is the size of a level, which halves with the level; without a level it is a small count. `what` names
    the query, and `resource` is a hash of the texture or image for every lane.
    """
    hashes = environment.hashes_of([(what, row) for row in range(width)], resource)
    if level is None:
        return hashes % np.uint64(8) + np.uint64(1)
    # Powers of two would hide a mask of the lower bits.
    odd_part = (hashes >> np.uint64(8)) % np.uint64(16) * (hashes >> np.uint64(16) & np.uint64(1))
    size = (np.uint64(16) << (hashes % np.uint64(6))) + odd_part
    size_of_level: Array = np.maximum(size >> np.clip(level, 0, 63).astype(np.uint64), np.uint64(1))
    return size_of_level


# Above 0.5, so that much of every texture is exactly 0 or 1, values that shaders test (`depth >= 1.0`).
_AMPLITUDE = 0.55


@dataclass(frozen=True, slots=True)
class ColorTerm:
    """A number that the colour depends on: its value and error bound on every lane, and its name."""

    name: str
    value: Array
    error: Array | None = None


def smooth_channel(
    environment: Environment, texture: Array, channel: str, terms: list[ColorTerm]
) -> tuple[Array, Array]:
    """Return a number on every lane and its error bound from rounding of the terms, both float64.

    The number is in [0, 1], except for textures to which the environment gives other contents.

    `texture` is a hash of texture and sampler for every lane.
    """
    spaces = [("phase", channel), *(("rate", channel, term.name) for term in terms)]
    random = fraction(environment.hashes_of(spaces, texture))
    argument = random[0] * 6.28
    reach = np.zeros(len(texture))
    is_uncertain = np.zeros(len(texture), np.bool_)
    rates = (0.5 + 2.0 * random[1:]) * environment.texture_sharpness()
    for term, rate in zip(terms, rates, strict=True):
        argument = argument + rate * term.value
        if term.error is not None:
            reach = reach + rate * term.error
            is_uncertain = is_uncertain | (term.error > 0)
    usable = np.isfinite(argument)
    # Beyond this size the float32 spacing exceeds a period.
    wave = np.sin(np.where(usable, argument, 0.0))
    free = 0.5 + _AMPLITUDE * wave
    value = np.where(usable, np.clip(free, 0.0, 1.0), 0.25)
    error = np.minimum(_AMPLITUDE * reach, 1.0)
    error = np.where(is_uncertain, np.maximum(error, LEAST_ERROR), error)
    # If the whole interval is clamped, the result is exact.
    error = np.where((free - error > 1.0) | (free + error < 0.0), 0.0, error)
    error = np.where(np.isnan(reach), 1.0, error)
    content = environment.texture_content(lane_hash(name_hash(channel), texture), value)
    if content is not None:
        same, number = content
        value, error = np.where(same, number, value), np.where(same, 0.0, error)
    return value, error
