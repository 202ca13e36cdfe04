"""Smooth functions in place of textures."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.texture_sampling import Term, smooth_channel

TEXTURE = np.zeros(64, np.uint64)


def at(place: np.ndarray, error: float | None = None, channel: str = "r"):  # type: ignore[no-untyped-def,type-arg]
    bound = None if error is None else np.full(64, error)
    return smooth_channel(Environment(1), TEXTURE, channel, [Term("coord0", place, bound)])


def test_nearby_places_look_alike_within_the_bound() -> None:
    place = np.linspace(-3, 3, 64)
    colors, reach = at(place, 1e-3)
    moved, _ = at(place + 1e-3)
    assert (np.abs(moved - colors) <= reach + 1e-12).all()
    assert (moved != colors).any()
    assert reach.max() < 0.01
    assert ((colors >= 0) & (colors <= 1)).all()
    assert np.ptp(colors) > 0.5


def test_channels_and_textures_differ() -> None:
    place = np.linspace(-3, 3, 64)
    assert (at(place)[0] != at(place, channel="g")[0]).any()
    other = smooth_channel(Environment(1), TEXTURE + np.uint64(1), "r", [Term("coord0", place)])[0]
    assert (at(place)[0] != other).any()


def test_infinite_places_have_a_colour_and_no_bound_means_any() -> None:
    place = np.full(64, np.inf)
    assert np.isfinite(at(place)[0]).all()
    assert (at(np.zeros(64), np.inf)[1] == 1.0).all()
    assert (at(np.zeros(64), np.nan)[1] == 1.0).all()


def test_a_part_of_a_texture_is_exactly_nought_or_one() -> None:
    colors, _ = at(np.linspace(-20, 20, 64))
    assert 4 < np.count_nonzero(colors == 0.0) < 24
    assert 4 < np.count_nonzero(colors == 1.0) < 24


def test_well_beyond_its_ends_a_texture_does_not_move() -> None:
    colors, reach = at(np.linspace(-20, 20, 64), 1e-3)
    assert (reach[colors == 1.0] == 0).any()
    assert (reach[(colors > 0) & (colors < 1)] > 0).all()
