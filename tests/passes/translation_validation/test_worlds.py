from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.environment import Environment
from nirls.passes.translation_validation.worlds import (
    FIRST,
    MORE,
    SeekingEnvironment,
    constants_of,
    world_of_run,
)
from tests.passes.shader_text import ONE, ZERO, shader, store


def test_every_world_has_its_turn() -> None:
    assert [world_of_run(number) for number in range(len(FIRST))] == list(FIRST)
    later = [world_of_run(len(FIRST) + number) for number in range(2 * len(MORE))]
    assert later == [*MORE, *MORE]
    assert world_of_run(0).special == 0


def test_constants_by_size() -> None:
    parsed = shader(
        "VERTEX", ZERO, ONE, "16 %2 = load_const (0x3c00)", "1 %3 = load_const (true)", store("VAR0")
    )
    found = {bit_size: values.tolist() for bit_size, values in constants_of([parsed]).items()}
    assert found == {32: [0, 0x3F800000], 16: [0x3C00]}


def test_named_numbers_turn_up_and_always_the_same_ones() -> None:
    hashes = np.arange(400, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    one = SeekingEnvironment(1, constants={32: np.array([4242], np.uint64)})
    bits = one.numbers(hashes, "int", 32)
    assert 50 < (bits == 4242).sum() < 200
    assert (bits == SeekingEnvironment(1, constants=one.constants).numbers(hashes, "int", 32)).all()
    assert not (Environment(1).numbers(hashes, "int", 32) == 4242).any()
    assert not (one.numbers(hashes, "int", 16) == 4242).any()


def test_gentle_numbers() -> None:
    hashes = np.arange(400, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    world = next(world for world in MORE if world.gentle)
    floats = world.environment(1, {}).numbers(hashes, "float", 32).view(np.float32)
    assert floats.min() >= 0.25
    assert floats.max() <= 1
    assert len(set(floats.tolist())) > 300


def test_same_corners() -> None:
    slot, primitive = np.full(6, 32), np.array([0, 0, 0, 1, 1, 1])
    corner = np.array([0, 1, 2, 0, 1, 2])
    same = SeekingEnvironment(1, same_corners=True).hash_of(("input", "", 0), slot, primitive, corner)
    assert len(set(same[:3].tolist())) == 1
    assert same[0] != same[3]
    apart = SeekingEnvironment(1).hash_of(("input", "", 0), slot, primitive, corner)
    assert len(set(apart.tolist())) == 6
