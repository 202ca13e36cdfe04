"""Barycentric coordinates of the fragments of a run, and interpolation between vertices.

Each primitive is a triangle that covers its quads; the weights of its second and third vertex are linear
in the window position. Perspective weights follow from a generated `w` for each vertex.
"""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.hashing import fraction
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array

SAMPLES = 4


def quad_offset(launch: Launch) -> tuple[Array, Array]:
    """Return the column and row of each lane in its quad."""
    lane = np.arange(launch.lanes)
    return lane & 1, (lane >> 1) & 1


def sample_offset(environment: Environment, sample: Array) -> tuple[Array, Array]:
    """Return the position of a sample relative to the pixel centre, x and y in [-0.5, 0.5)."""
    sample = sample.astype(np.uint64) % np.uint64(SAMPLES)
    return (
        np.floor(fraction(environment.hash_of("sample x", sample)) * 16) / 16 - 0.5,
        np.floor(fraction(environment.hash_of("sample y", sample)) * 16) / 16 - 0.5,
    )


def sample_of_lane(environment: Environment, launch: Launch) -> Array:
    """Return the sample shaded by each fragment lane; all lanes of a quad have the same."""
    quads = np.arange(launch.lanes) >> 2
    return (environment.hash_of("sample id", quads) % np.uint64(SAMPLES)).astype(np.int64)


def displacement(environment: Environment, launch: Launch, kind: str) -> tuple[Array, Array]:
    """Return the offset of a `pixel`, `centroid` or `sample` barycentric from the pixel centre."""
    if kind == "sample":
        return sample_offset(environment, sample_of_lane(environment, launch))
    if kind == "centroid":
        # Only fragments at the edge of their primitive have a centroid off the pixel centre.
        lane = np.arange(launch.lanes)
        chance = environment.hash_of("centroid", lane)
        partial = chance % np.uint64(2) == 0
        x = np.floor(fraction(environment.hash_of("centroid x", lane)) * 16) / 16 - 0.5
        y = np.floor(fraction(environment.hash_of("centroid y", lane)) * 16) / 16 - 0.5
        return np.where(partial, x, 0.0), np.where(partial, y, 0.0)
    nothing = np.zeros(launch.lanes)
    return nothing, nothing


def weights(
    environment: Environment, launch: Launch, x: Array, y: Array, perspective: bool
) -> tuple[Array, Array]:
    """Compute the weights of the second and third vertex at an offset from each pixel's centre, float64."""
    column, row = quad_offset(launch)
    quads = np.arange(launch.lanes) >> 2

    def part(name: str, low: float, high: float, of: Array = quads) -> Array:
        steps = np.floor(fraction(environment.hash_of(name, of)) * 64) / 64
        return low + (high - low) * steps

    i = (
        part("i", 0.1, 0.4)
        + part("di/dx", 0.02, 0.08) * (column + x)
        + part("di/dy", -0.05, 0.05) * (row + y)
    )
    j = (
        part("j", 0.1, 0.4)
        + part("dj/dx", -0.05, 0.05) * (column + x)
        + part("dj/dy", 0.02, 0.08) * (row + y)
    )
    if not perspective:
        return i, j
    inverse = [part(f"w{vertex}", 0.5, 2.0, launch.primitive) for vertex in range(3)]
    scale = (1 - i - j) * inverse[0] + i * inverse[1] + j * inverse[2]
    return i * inverse[1] / scale, j * inverse[2] / scale


def inverse_w(environment: Environment, launch: Launch) -> Array:
    """Compute 1/w at each pixel's centre."""
    nothing = np.zeros(launch.lanes)
    i, j = weights(environment, launch, nothing, nothing, False)
    total = np.zeros(launch.lanes)
    for vertex, weight in enumerate((1 - i - j, i, j)):
        steps = np.floor(fraction(environment.hash_of(f"w{vertex}", launch.primitive)) * 64) / 64
        total = total + weight * (0.5 + 1.5 * steps)
    return total


def interpolate(vertices: list[Array], i: Array, j: Array) -> Array:
    """Interpolate between the values at the three vertices by given weights, all float64.

    Where all vertices agree, the result is exactly their value, infinities included.
    """
    first, second, third = vertices
    with np.errstate(all="ignore"):
        mixed = first + i * (second - first) + j * (third - first)
    agree = ((first == second) & (second == third)) | (np.isnan(first) & np.isnan(second) & np.isnan(third))
    return np.where(agree, first, mixed)
