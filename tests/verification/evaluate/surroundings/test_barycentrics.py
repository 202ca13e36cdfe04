"""Places in a primitive."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.barycentrics import (
    displacement,
    interpolate,
    inverse_w,
    quad_offset,
    weights,
)
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import launch_for
from tests.verification.evaluate.shader_text import shader_of

LAUNCH = launch_for(shader_of("    block b0:", "FRAGMENT"), 32)
ZERO = np.zeros(32)


def test_linear_weights_are_linear_in_the_window() -> None:
    environment = Environment(3)
    column, row = quad_offset(LAUNCH)
    assert column[:4].tolist() == [0, 1, 0, 1]
    assert row[:4].tolist() == [0, 0, 1, 1]
    at = weights(environment, LAUNCH, ZERO, ZERO, False)[0].reshape(-1, 4)
    assert np.allclose(at[:, 1] - at[:, 0], at[:, 3] - at[:, 2])
    moved = weights(environment, LAUNCH, ZERO + 1, ZERO, False)[0].reshape(-1, 4)
    assert np.allclose(moved[:, 0], at[:, 1])


def test_perspective_weights_divide_by_w() -> None:
    environment = Environment(3)
    i, j = weights(environment, LAUNCH, ZERO, ZERO, False)
    pi, pj = weights(environment, LAUNCH, ZERO, ZERO, True)
    w = inverse_w(environment, LAUNCH)
    assert (pi != i).any()
    assert ((pi > 0) & (pj > 0) & (pi + pj < 1)).all()
    # i' = i * (1/w1) / (1/w): the ratio is the same for all fragments of a primitive.
    ratio = (pi * w / i).reshape(-1, 8)
    assert np.allclose(ratio, ratio[:, :1])
    assert ((j > 0) & (w > 0)).all()


def test_only_samples_and_centroids_are_off_the_centre() -> None:
    environment = Environment(3)
    assert not displacement(environment, LAUNCH, "pixel")[0].any()
    x = displacement(environment, LAUNCH, "sample")[0]
    assert (np.abs(x) <= 0.5).all()
    assert (x.reshape(-1, 4) == x.reshape(-1, 4)[:, :1]).all(), "a quad shades one sample"
    assert displacement(environment, LAUNCH, "centroid")[0].any()


def test_corners_and_equal_vertices_are_exact() -> None:
    corners = [np.array([1.0, np.inf, 5.0]), np.array([3.0, np.inf, 5.0]), np.array([7.0, np.inf, 5.0])]
    zero, one, third = np.zeros(3), np.ones(3), np.full(3, 1 / 3)
    assert interpolate(corners, zero, zero)[0] == 1.0
    assert interpolate(corners, one, zero)[0] == 3.0
    assert interpolate(corners, zero, one)[0] == 7.0
    assert interpolate(corners, third, third)[1:].tolist() == [np.inf, 5.0]
