"""Rules by which float operations pass the errors of their sources on to the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

import numpy as np

from nirls.verification.evaluate.values.arrays import Array

Rule = Callable[[list[Array], list[Array], Array], Array]
"""Return the error passed on, from the sources `x`, their error bounds `e` and the result `r`."""

Jump = Callable[[list[Array]], Array]
"""Return the numbers that are discontinuous in the sources."""


def _sum_of_errors(x: list[Array], e: list[Array], r: Array) -> Array:
    total = e[0]
    for error in e[1:]:
        total = total + error
    return total


def _monotonic(operation: Callable[..., Array]) -> Rule:
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


def _product(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.abs(x[0]) * e[1] + np.abs(x[1]) * e[0] + e[0] * e[1]


def product_and_sum(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of `x[0] * x[1] + x[2]`."""
    return _product(x, e, r) + e[2]


def _dot(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.sum(_product(x, e, r), axis=0, keepdims=True)


def _homogeneous_dot(x: list[Array], e: list[Array], r: Array) -> Array:
    # a.xyz * b.xyz + b.w
    second = np.broadcast_to(e[1], x[1].shape)
    return _dot([x[0], x[1][:3]], [e[0], second[:3]], r) + second[3:]


def _sum_of_components(x: list[Array], e: list[Array], r: Array) -> Array:
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


def _cube_coordinates(x: list[Array], e: list[Array], r: Array) -> Array:
    # minor / (2 * major) + 0.5, and minor <= major
    error, major, _ = _axes_of_cube(x, e)
    room = major - error
    return np.where(room > 0, error / np.where(room > 0, room, 1.0), np.where(error > 0, np.inf, 0.0))


def _cube(x: list[Array], e: list[Array], r: Array) -> Array:
    # Two minor axes, twice the major one, and the face
    error = _axes_of_cube(x, e)[0]
    return np.concatenate([error, error, 2 * error, 0 * error])


def quotient_error(x: list[Array], e: list[Array], r: Array) -> Array:
    """Return the error of a quotient; unbounded where the divisor may be 0."""
    room = np.abs(x[1]) - e[1]
    return np.where(room > 0, (e[0] + np.abs(r) * e[1]) / np.where(room > 0, room, 1.0), np.inf)


def _reciprocal(x: list[Array], e: list[Array], r: Array) -> Array:
    room = np.abs(x[0]) - e[0]
    return np.where(room > 0, np.abs(r) * e[0] / np.where(room > 0, room, 1.0), np.inf)


def _square_root(x: list[Array], e: list[Array], r: Array) -> Array:
    # If the interval of a source contains 0, the root is between 0 and that of its upper end.
    low, high = np.maximum(x[0] - e[0], 0.0), np.maximum(x[0] + e[0], 0.0)
    root = np.sqrt(np.maximum(x[0], 0.0))
    spread = np.maximum(root - np.sqrt(low), np.sqrt(high) - root)
    return np.where(e[0] == 0, 0.0, spread)


def _inverse_root(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(e[0] == 0, 0.0, np.where(low > 0, 1 / np.sqrt(safe) - np.abs(r), np.inf))


def _exponential(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.exp2(x[0] + e[0]) - np.exp2(x[0])


def _logarithm(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(
        e[0] == 0, 0.0, np.where(low > 0, np.log2(np.maximum(x[0], safe)) - np.log2(safe), np.inf)
    )


def _wave(angle: float) -> Rule:
    """Build the rule of a sine or cosine of the source times `angle`."""
    return lambda x, e, r: np.minimum(angle * e[0], 2.0)


def _mix(x: list[Array], e: list[Array], r: Array) -> Array:
    # a * (1 - t) + b * t
    return np.abs(1 - x[2]) * e[0] + np.abs(x[2]) * e[1] + np.abs(x[1] - x[0]) * e[2] + (e[0] + e[1]) * e[2]


def _power(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    largest = np.zeros(np.broadcast_shapes(x[0].shape, x[1].shape))
    for base, exponent in product((low, x[0] + e[0]), (x[1] - e[1], x[1] + e[1])):
        corner = np.power(np.maximum(base, 0.0), exponent)
        largest = np.maximum(largest, np.abs(corner - r))
    moved = (e[0] > 0) | (e[1] > 0)
    return np.where(moved, np.where(low >= 0, largest, np.inf), 0.0)


def _pass_on(x: list[Array], e: list[Array], r: Array) -> Array:
    return e[0]


def _scaled_by_power(x: list[Array], e: list[Array], r: Array) -> Array:
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


ANGLES = {"amd": 2 * math.pi, "mdg": math.pi, "agx": math.pi / 2}
"""Factor on the source of the sines and cosines of some hardware."""

RULES: dict[str, Rule] = {
    "fadd": _sum_of_errors,
    "fsub": _sum_of_errors,
    "fmul": _product,
    "fmulz": _product,
    "ffma": product_and_sum,
    "ffmaz": product_and_sum,
    "ffma_weak": product_and_sum,
    "fmad": product_and_sum,
    "fmadz": product_and_sum,
    "fdiv": quotient_error,
    "frcp": _reciprocal,
    "fsqrt": _square_root,
    "frsq": _inverse_root,
    "fexp2": _exponential,
    "flog2": _logarithm,
    "fsin": _wave(1.0),
    "fcos": _wave(1.0),
    **{f"{wave}_{vendor}": _wave(angle) for vendor, angle in ANGLES.items() for wave in ("fsin", "fcos")},
    "fpow": _power,
    "flrp": _mix,
    "fmin": _monotonic(np.fmin),
    "fmax": _monotonic(np.fmax),
    "fmin_agx": _monotonic(np.fmin),
    "fmax_agx": _monotonic(np.fmax),
    "fneg": _pass_on,
    "fabs": _pass_on,
    "fsat": _monotonic(lambda x: np.clip(x, 0.0, 1.0)),
    "fsat_signed": _monotonic(lambda x: np.clip(x, -1.0, 1.0)),
    "fclamp_pos": _monotonic(lambda x: np.fmax(x, 0.0)),
    "ffract": _pass_on,
    "fmod": _pass_on,
    "frem": _pass_on,
    "f2f16": _pass_on,
    "f2f16_rtne": _pass_on,
    "f2f16_rtz": _pass_on,
    "f2f32": _pass_on,
    "f2f64": _pass_on,
    "f2fmp": _pass_on,
    "ldexp": _scaled_by_power,
    "fdph": _homogeneous_dot,
    "fdph_replicated": _homogeneous_dot,
    **{f"fsum{width}": _sum_of_components for width in (2, 3, 4)},
    "cube_amd": _cube,
    "cube_r600": _cube,
    "cube_face_coord_amd": _cube_coordinates,
    "cube_face_index_amd": lambda x, e, r: np.zeros((1, 1)),
    **{f"fdot{width}{form}": _dot for width in (2, 3, 4, 5, 8, 16) for form in ("", "_replicated")},
}
"""Rules by opcode; see `Rule`."""

JUMPS: dict[str, Jump] = {
    "ffract": lambda x: np.floor(x[0]),
    "fmod": lambda x: np.floor(x[0] / x[1]),
    "frem": lambda x: np.trunc(x[0] / x[1]),
    "ffloor": lambda x: np.floor(x[0]),
    "fceil": lambda x: np.ceil(x[0]),
    "ftrunc": lambda x: np.trunc(x[0]),
    "fround_even": lambda x: np.rint(x[0]),
    "fsign": lambda x: np.sign(x[0]),
}
"""Discontinuous parts of operations: the number that jumps, by opcode."""
