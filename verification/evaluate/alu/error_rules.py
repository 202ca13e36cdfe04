"""Rules by which float operations pass the errors of their sources on to the result; see `Rule`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

import numpy as np

from nirls.verification.evaluate.values.arrays import Array

Rule = Callable[[list[Array], list[Array], Array], Array]
"""Return the error passed on, from the sources `x`, their error bounds `e` and the result `r`."""

Jump = Callable[[list[Array]], Array]
"""Return the numbers that are discontinuous in the sources."""


def sum_of_errors(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a sum or a difference."""
    total = e[0]
    for error in e[1:]:
        total = total + error
    return total


def monotonic(operation: Callable[..., Array]) -> Rule:
    """Build the rule of an operation that decreases with no source: its results at the ends of the intervals.

    Where an end is clamped, the result is exact. A NaN with a bound stands for any number.
    """

    def rule(x: list[Array], e: list[Array], r: Array) -> Array:
        low, high = (operation(*map(partial(end_of_interval, sign), x, e)) for sign in (-1, 1))
        error = np.fmax(high - r, r - low)
        certain = (low == high) | (np.isnan(low) & np.isnan(high))
        return np.where(certain, 0.0, np.where(np.isnan(error), np.inf, error))

    return rule


def end_of_interval(sign: int, x: Array, e: Array) -> Array:
    """Return the lower (`sign` -1) or upper (1) end of the intervals."""
    return np.where(e == 0, x, np.where(np.isfinite(x) & np.isfinite(e), x + sign * e, sign * np.inf))


def product_of_two(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] * x[1]`."""
    return np.abs(x[0]) * e[1] + np.abs(x[1]) * e[0] + e[0] * e[1]


def product_and_sum(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] * x[1] + x[2]`."""
    return product_of_two(x, e, r) + e[2]


def dot(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a dot product."""
    return np.sum(product_of_two(x, e, r), axis=0, keepdims=True)


def homogeneous_dot(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a dot product of three components and the fourth of `x[1]`."""
    # a.xyz * b.xyz + b.w
    second = np.broadcast_to(e[1], x[1].shape)
    return dot([x[0], x[1][:3]], [e[0], second[:3]], r) + second[3:]


def sum_of_components(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of the sum of all components."""
    return np.sum(np.broadcast_to(e[0], x[0].shape), axis=0, keepdims=True)


def _axes_of_cube(x: list[Array], e: list[Array]) -> tuple[Array, Array, Array]:
    """Return the largest error and the two largest magnitudes of the components of a direction."""
    error = np.max(np.broadcast_to(e[0], x[0].shape), axis=0, keepdims=True)
    second, first = np.sort(np.abs(x[0]), axis=0)[-2:]
    return error, first[None], second[None]


def other_face(x: list[Array], e: list[Array]) -> Array:
    """Return where the error could turn a direction to another face of the cube."""
    error, major, second = _axes_of_cube(x, e)
    return (error > 0) & ~(major - second > 2 * error)


def cube_coordinates(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of the coordinates on a face of a cube."""
    # minor / (2 * major) + 0.5, and minor <= major
    error, major, _ = _axes_of_cube(x, e)
    room = major - error
    return np.where(room > 0, error / np.where(room > 0, room, 1.0), np.where(error > 0, np.inf, 0.0))


def cube(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of the axes and the face of a cube."""
    # Two minor axes, twice the major one, and the face
    error = _axes_of_cube(x, e)[0]
    return np.concatenate([error, error, 2 * error, 0 * error])


def quotient_error(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a quotient; unbounded where the divisor may be 0."""
    room = np.abs(x[1]) - e[1]
    return np.where(room > 0, (e[0] + np.abs(r) * e[1]) / np.where(room > 0, room, 1.0), np.inf)


def reciprocal(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `1 / x[0]`."""
    room = np.abs(x[0]) - e[0]
    return np.where(room > 0, np.abs(r) * e[0] / np.where(room > 0, room, 1.0), np.inf)


def square_root(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a square root."""
    # If the interval of a source contains 0, the root is between 0 and that of its upper end.
    low, high = np.maximum(x[0] - e[0], 0.0), np.maximum(x[0] + e[0], 0.0)
    root = np.sqrt(np.maximum(x[0], 0.0))
    spread = np.maximum(root - np.sqrt(low), np.sqrt(high) - root)
    return np.where(e[0] == 0, 0.0, spread)


def inverse_root(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `1 / sqrt(x[0])`."""
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(e[0] == 0, 0.0, np.where(low > 0, 1 / np.sqrt(safe) - np.abs(r), np.inf))


def exponential(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `2 ** x[0]`."""
    return np.exp2(x[0] + e[0]) - np.exp2(x[0])


def logarithm(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a logarithm to the base 2."""
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(
        e[0] == 0, 0.0, np.where(low > 0, np.log2(np.maximum(x[0], safe)) - np.log2(safe), np.inf)
    )


def wave(angle: float) -> Rule:
    """Build the rule of a sine or cosine of the source times `angle`."""
    return lambda x, e, r: np.minimum(angle * e[0], 2.0)


def mix(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] * (1 - x[2]) + x[1] * x[2]`."""
    # a * (1 - t) + b * t
    return np.abs(1 - x[2]) * e[0] + np.abs(x[2]) * e[1] + np.abs(x[1] - x[0]) * e[2] + (e[0] + e[1]) * e[2]


def power(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] ** x[1]`."""
    low = x[0] - e[0]
    largest = np.zeros(np.broadcast_shapes(x[0].shape, x[1].shape))
    for base, exponent in product((low, x[0] + e[0]), (x[1] - e[1], x[1] + e[1])):
        corner = np.power(np.maximum(base, 0.0), exponent)
        largest = np.maximum(largest, np.abs(corner - r))
    moved = (e[0] > 0) | (e[1] > 0)
    return np.where(moved, np.where(low >= 0, largest, np.inf), 0.0)


def pass_on(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of an operation that moves with its source."""
    return e[0]


def scaled_by_power(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] * 2 ** x[1]`."""
    return np.ldexp(e[0], x[1].astype(np.int64).clip(-2000, 2000))


def unknown(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of an operation without a rule: any, if a source has one."""
    return np.where(any_moved(e), np.inf, 0.0)


def any_moved(errors: Iterable[Array]) -> Array:
    """Return the lanes on which any component of any source has an error."""
    moved = np.zeros((1, 1), np.bool_)
    for error in errors:
        moved = moved | (error > 0).any(axis=0, keepdims=True)
    return moved
